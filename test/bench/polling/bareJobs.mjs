// The floor for polls: Node's own HTTP server, which answers every request with the requested job.
import { createServer } from 'node:http';

const server = createServer((request, response) => {
  const id = request.url.split('/').at(-1);
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ id, status: 'active' }));
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
