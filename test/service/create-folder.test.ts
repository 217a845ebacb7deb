import nock from 'nock';
import { expect, test } from 'vitest';
import { API, serviceErrorOf } from './client-under-test.ts';
import { useNock } from './nock-under-test.ts';

const under = useNock();
const FOLDERS = '/projects/7/folders';
const create = () =>
  under.it.client.createFolder({ projectId: 7, name: 'design' }, { lane: 'interactive' });

test('a folder is made by its name, and read from the answer', async () => {
  const made = { id: 90, level: 1, name: 'design', parent_id: 'root', project: { id: 7 } };
  nock(API).post(FOLDERS, { name: 'design' }).reply(201, made);
  expect(await create()).toMatchObject({ id: 90, name: 'design', parentId: null });
});

// A second request would find no answer here, and fail with another error.
test.each([403, 500])('what was answered %i is not sent again', async (status) => {
  nock(API).post(FOLDERS).reply(status);
  expect(await serviceErrorOf(create())).toMatchObject({ status });
});

test.each(['', '[]', '{"name":"design"}'])('an answer of %j may have made it', async (body) => {
  nock(API).post(FOLDERS).reply(201, body);
  expect(await serviceErrorOf(create())).toMatchObject({ code: 'SERVICE_BAD_ANSWER' });
});

test('a refusal within an answer of 200 is one', async () => {
  nock(API).post(FOLDERS).reply(200, { success: false, code: 1301, message: 'No.' });
  const error = await serviceErrorOf(create());
  expect(['SERVICE_REFUSED', 'SERVICE_BAD_REQUEST']).toContain(error.code);
});
