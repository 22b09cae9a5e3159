import type { Project } from '../../local-service/store/jobStore';
import { toColumn, toProject } from '../../local-service/store/rows';
import { projectSettingsSchema } from '../../protocol/localService';
import type { Query } from './database';

const COLUMNS = 'id, name, folder, settings';

const PUT = `
  INSERT INTO projects (id, name, folder, settings) VALUES ($1, $2, $3, coalesce($4, $5))
  ON CONFLICT (id) DO UPDATE SET name = excluded.name, folder = excluded.folder, settings = coalesce($4, projects.settings)
  RETURNING ${COLUMNS}`;

/** The projects. `folder` is the URL of the repository. */
export class ProjectTable {
  constructor(private readonly database: Query) {}

  async put({
    id,
    name,
    folder,
    settings,
  }: Omit<Project, 'settings'> & { settings?: Project['settings'] | undefined }) {
    const defaults = JSON.stringify(projectSettingsSchema.parse({}));
    const [row] = await this.database.query(PUT, [id, name, folder, toColumn(settings), defaults]);
    const project = toProject(row);
    if (project === undefined) {
      throw new Error('the database didn’t save the project');
    }
    return project;
  }

  async get(id: string): Promise<Project | undefined> {
    return toProject((await this.database.query(`SELECT ${COLUMNS} FROM projects WHERE id = $1`, [id]))[0]);
  }

  async list(): Promise<Project[]> {
    const rows = await this.database.query(`SELECT ${COLUMNS} FROM projects ORDER BY name, id`);
    return rows.map(toProject).filter((project) => project !== undefined);
  }
}
