// The floor for requests: Node's own HTTP server, which writes one SQLite row as durably as the service does, or reads
// one.
import { createServer } from 'node:http';
import { DatabaseSync } from 'node:sqlite';

const database = new DatabaseSync(process.argv[2]);
database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
database.exec('CREATE TABLE jobs (id INTEGER PRIMARY KEY, prompt TEXT NOT NULL) STRICT');
const insert = database.prepare('INSERT INTO jobs (prompt) VALUES (?)');
const select = database.prepare('SELECT id, prompt FROM jobs WHERE id = ?');

const server = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', (text) => (body += text));
  request.on('end', () => {
    const answer =
      request.method === 'POST'
        ? { id: Number(insert.run(JSON.parse(body).prompt).lastInsertRowid) }
        : select.get(Number(request.url.slice(1)));
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
