import { describe, expect, it } from 'vitest';
import { LIMITED_API_KEY, READ_ONLY_API_KEY } from '../../../src/playground/file-service/index.ts';
import {
  CAMPAIGN,
  CONTRACTS,
  DESIGN,
  type FolderJson,
  fileServiceUnderTest,
  json,
  LOGOS,
  WEBSITE,
} from './file-service-under-test.ts';

const FOLDERS = `/api/v3/projects/${WEBSITE}/folders`;

describe('appendix: projects, folders, people', () => {
  it('lists the projects that the user may see', async () => {
    const { call } = await fileServiceUnderTest();
    const all = await json<unknown[]>(await call('/api/v3/projects'));
    expect(all).toHaveLength(3);
    expect(all[0]).toEqual({
      id: WEBSITE,
      title: 'Website relaunch',
      description: 'The new site, live before the summer.',
      archived: false,
      assigned: [12009183, 12009184, 12009185, 12009186],
      creator: { id: 12009183 },
      created_at: '2025-09-01T08:30:00+00:00',
      updated_at: '2025-09-01T08:30:00+00:00',
    });
    const some = await (await call('/api/v3/projects', { apiKey: LIMITED_API_KEY })).json();
    expect(some).toHaveLength(2);
  });

  it('lists folders and subfolders, with levels and parents', async () => {
    const { call } = await fileServiceUnderTest();
    const folders = await json<FolderJson[]>(await call(FOLDERS));
    expect(folders).toHaveLength(6);
    expect(folders[1]).toEqual({
      id: DESIGN,
      level: 1,
      name: 'Design',
      reply_email: 'f+23423233-67811578@files.example',
      created_at: '2025-09-01T08:30:00+00:00',
      updated_at: '2025-09-01T08:30:00+00:00',
      parent_id: 'root',
      type: 'folder',
      project: { id: WEBSITE },
    });
    expect(folders[2]).toMatchObject({ id: LOGOS, level: 2, parent_id: DESIGN });
  });

  it('creates, renames and deletes a folder', async () => {
    const { call, clock, service } = await fileServiceUnderTest();
    const made = await call(FOLDERS, { method: 'POST', body: { name: ' Phase 2 ' } });
    expect(made.status).toBe(201);
    const folder = await json<FolderJson>(made);
    expect(folder).toMatchObject({ name: 'Phase 2', level: 1, parent_id: 'root' });
    await clock.advance(60_000);
    const path = `${FOLDERS}/${folder.id}`;
    const renamed = await call(path, { method: 'PUT', body: { name: 'Phase II' } });
    expect(renamed.status).toBe(200);
    const expected = { ...folder, name: 'Phase II', updated_at: '2026-01-05T09:01:00+00:00' };
    expect(await renamed.json()).toEqual(expected);
    expect((await call(path, { method: 'DELETE' })).status).toBe(204);
    expect(service.store.folder(folder.id)).toBeNull();
    expect((await call(path, { method: 'DELETE' })).status).toBe(404);
  });

  it('deletes the subfolders and their files too', async () => {
    const { call, service } = await fileServiceUnderTest();
    expect((await call(`${FOLDERS}/${DESIGN}`, { method: 'DELETE' })).status).toBe(204);
    expect(service.store.folder(LOGOS)).toBeNull();
    expect(service.store.file(1254836)).toBeNull();
    expect(service.store.folders(WEBSITE)).toHaveLength(2);
  });

  it.each([[{}], [{ name: '' }], [{ name: '  ' }], [{ name: 7 }]])(
    'refuses %j as a folder with 400',
    async (body) => {
      const { call } = await fileServiceUnderTest();
      expect((await call(FOLDERS, { method: 'POST', body })).status).toBe(400);
      expect((await call(`${FOLDERS}/${DESIGN}`, { method: 'PUT', body })).status).toBe(400);
    },
  );

  it('allows nobody to change a folder that they may only read', async () => {
    const { call } = await fileServiceUnderTest();
    const path = `/api/v3/projects/${CAMPAIGN}/folders/${CONTRACTS}`;
    const asReader = { apiKey: READ_ONLY_API_KEY };
    const rename = { ...asReader, method: 'PUT', body: { name: 'Mine' } };
    expect((await call(path, rename)).status).toBe(403);
    expect((await call(path, { ...asReader, method: 'DELETE' })).status).toBe(403);
  });

  it('lists people without their keys', async () => {
    const { call } = await fileServiceUnderTest();
    const text = await (await call('/api/v3/people')).text();
    expect(text).not.toContain('demo-key');
    const people = JSON.parse(text);
    expect(people).toHaveLength(4);
    expect(people[1]).toMatchObject({
      id: 12009184,
      first_name: 'Tomás',
      last_name: 'Herrera',
      email: 'tomas@harbourpine.example',
      suspended: false,
    });
    expect(people[3]).toMatchObject({ suspended: true });
  });
});
