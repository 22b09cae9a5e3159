-- PostgreSQL's image runs this once, when it creates its data folder. The service's role owns its database and nothing else.
\getenv password POSTGRES_PASSWORD
CREATE ROLE docs_agent LOGIN PASSWORD :'password';
CREATE DATABASE docs_agent OWNER docs_agent;
REVOKE ALL ON DATABASE docs_agent FROM PUBLIC;
-- Nobody logs in as the administrator over the network, only within the container.
ALTER ROLE CURRENT_USER PASSWORD NULL;
