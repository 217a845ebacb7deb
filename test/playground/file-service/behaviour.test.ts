import { describe, expect, it } from 'vitest';
import {
  type Behaviour,
  defaultSeed,
  everyList,
  type FileServiceOptions,
  LIMITED_API_KEY,
  PROFILES,
} from '../../../src/playground/file-service/index.ts';
import {
  type CallOptions,
  CONTRACTS,
  COPY,
  DESIGN,
  type FileJson,
  type FolderJson,
  fileServiceUnderTest,
  filesOf,
  HOME,
  json,
  LOGOS,
  OFFICE_MOVE,
  WEBSITE,
} from './file-service-under-test.ts';

const PROJECTS = '/api/v3/projects';
const FOLDERS = `${PROJECTS}/${WEBSITE}/folders`;
const PEOPLE = '/api/v3/people';
const NOWHERE = 77;
const JSON_HEADER = { 'Content-Type': 'application/json' };

interface TreeJson extends FolderJson {
  name: string;
  level: number;
  parent_id: unknown;
  children: TreeJson[];
}

/**
 * Starts an account in the real profile with changes in `behaviour`; calls carry the JSON header.
 */
async function realAccount(
  behaviour: Partial<Behaviour> = {},
  options: Partial<FileServiceOptions> = {},
) {
  const rateLimit = { requests: 1000, windowMs: 1000 };
  const underTest = await fileServiceUnderTest({
    profile: 'real',
    behaviour,
    rateLimit,
    ...options,
  });
  const call = (path: string, options: CallOptions = {}) =>
    underTest.call(path, { ...options, headers: { ...JSON_HEADER, ...options.headers } });
  const read = async <T>(path: string) => json<T>(await call(path));
  const fill = async (folderId: number, names: string[]) => {
    const attachments = [];
    for (const name of names) attachments.push(await underTest.attach({ name }));
    const answer = await underTest.create(folderId, { attachments, folder: folderId });
    expect(answer.status).toBe(201);
    return json<NamedJson | NamedJson[]>(answer);
  };
  return { ...underTest, call, read, fill };
}

interface NamedJson extends FileJson {
  name: string;
}

function numbered(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${index}.txt`);
}

const namesIn = (records: readonly NamedJson[]) => records.map(({ name }) => name);

describe('R1: lists', () => {
  it('return at most 100 records, and the rest from a start index', async () => {
    const { fill, read } = await realAccount();
    await fill(DESIGN, numbered(130));
    const page = async (query: string) => namesIn(await read(`${filesOf(DESIGN)}${query}`));
    expect(await page('')).toEqual(numbered(100));
    expect(await page('?start=100&limit=100')).toEqual(numbered(130).slice(100));
    expect(await page('?start=20&limit=500')).toEqual(numbered(120).slice(20));
    expect(await page('?start=20&limit=3')).toEqual(['20.txt', '21.txt', '22.txt']);
    expect(await page('?start=130&limit=100')).toEqual([]);
    expect(await page('?start=-1&limit=0')).toEqual(numbered(100));
    expect(await page('?start=many&limit=all')).toEqual(numbered(100));
  });

  it('return either order', async () => {
    const { fill, read } = await realAccount({ listOrder: everyList('newest-first') });
    await fill(DESIGN, numbered(130));
    const newest = numbered(130).reverse();
    expect(namesIn(await read(filesOf(DESIGN)))).toEqual(newest.slice(0, 100));
    expect(namesIn(await read(`${filesOf(DESIGN)}?start=100`))).toEqual(newest.slice(100));
  });

  it.each([
    ['cut', 100, 100],
    ['whole', 130, 130],
    ['paged', 100, 30],
  ] as const)('that are %s hold %i files, and %i from 100 on', async (paging, first, rest) => {
    const listPaging = { ...PROFILES.specified.listPaging, files: paging };
    const { fill, read } = await realAccount({ listPaging });
    await fill(DESIGN, numbered(130));
    expect(await read(filesOf(DESIGN))).toHaveLength(first);
    expect(await read(`${filesOf(DESIGN)}?start=100&limit=100`)).toHaveLength(rest);
  });

  it('of projects, folders and people follow the same rules', async () => {
    const { read, service } = await realAccount({ folderList: 'flat' });
    for (const name of numbered(100)) service.store.addFolder(WEBSITE, DESIGN, name);
    expect(await read(FOLDERS)).toHaveLength(100);
    expect(await read(`${FOLDERS}?start=100&limit=100`)).toHaveLength(6);
    expect(await read(`${PROJECTS}?start=2&limit=100`)).toMatchObject([{ id: OFFICE_MOVE }]);
    expect(await read(`${PEOPLE}?start=3&limit=100`)).toMatchObject([{ first_name: 'Jonas' }]);
    service.behaviour.set('real', { listOrder: everyList('newest-first') });
    expect(await read(`${PROJECTS}?limit=1`)).toMatchObject([{ id: OFFICE_MOVE }]);
    expect(await read(`${PEOPLE}?limit=1`)).toMatchObject([{ first_name: 'Jonas' }]);
  });
});

describe('R2: the Content-Type header', () => {
  it.each([
    ['GET', filesOf(LOGOS)],
    ['DELETE', `${filesOf(LOGOS)}/1254836`],
    ['GET', PROJECTS],
  ])('is required of a %s without a body', async (method, path) => {
    const { call, service } = await realAccount();
    const plain = { method, headers: { 'Content-Type': 'text/plain' } };
    const answer = await call(path, plain);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ code: 1202 });
    expect(service.store.file(1254836)).not.toBeNull();
    expect(await (await call(path, { method })).text()).not.toMatch('1202');
  });

  it('is never required of an upload, and only of a body if the switch says so', async () => {
    const { attach, read, service } = await realAccount();
    expect(await attach()).toBeGreaterThan(0);
    service.behaviour.set('real', { jsonHeader: 'with-a-body' });
    expect(await read(PEOPLE)).toHaveLength(4);
  });
});

describe('R3: errors', () => {
  it.each<[string, string, CallOptions, number]>([
    ['a key that is not known', PEOPLE, { apiKey: 'wrong' }, 1001],
    ['no key', PEOPLE, { apiKey: null }, 1001],
    ['no User-Agent of the form', PEOPLE, { headers: { 'User-Agent': 'node' } }, 1201],
    ['a bad request', filesOf(DESIGN), { method: 'POST', body: { attachments: [] } }, 1301],
    ['no right', `${PROJECTS}/${OFFICE_MOVE}/folders`, { apiKey: LIMITED_API_KEY }, 1401],
    ['a file that is not there', `${filesOf(DESIGN)}/7`, { method: 'DELETE' }, 1404],
    ['a call that is none', '/api/v3/nothing', {}, 1404],
  ])('for %s are sent inside a 200', async (_what, path, options, code) => {
    const { call, service } = await realAccount();
    const answer = await call(path, options);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ code, message: expect.stringMatching(/\.$/) });
    expect(service.requests.list().at(-1)).toMatchObject({ status: 200, errorCode: code });
  });

  it('are sent in each of their forms in turn', async () => {
    const { read } = await realAccount();
    const seen: object[] = [];
    for (let index = 0; index < 8; index += 1) seen.push(await read<object>('/api/v3/nothing'));
    const markers = seen.map((error) => Object.keys(error).sort().join(' '));
    const once = [
      'code message status success',
      'code message response_code',
      'code message success',
      'code message status',
    ];
    expect([...markers].sort()).toEqual([...once, ...once].sort());
    expect(new Set(markers.slice(0, 4)).size).toBe(4);
    for (const error of seen) expect(Object.values(error)).not.toContain(true);
  });

  it('are sent in the form that a test asks for', async () => {
    const { read } = await realAccount({ errors: ['code-alone'] });
    for (const _ of [1, 2]) {
      const error = await read('/api/v3/nothing');
      expect(error).toEqual({ code: 1404, message: expect.any(String), response_code: 1404 });
    }
  });

  it.each(['401', '403', '404'] as const)(
    'that are injected as %s are sent inside a 200 too',
    async (mode) => {
      const { call, service } = await realAccount();
      service.faults.next({ mode });
      const answer = await call(PEOPLE);
      expect(answer.status).toBe(200);
      expect(await answer.json()).toMatchObject({
        code: { 401: 1001, 403: 1401, 404: 1404 }[mode],
      });
    },
  );

  it('of the service itself keep their status', async () => {
    const { call, service } = await realAccount();
    service.faults.next({ mode: '503' });
    expect((await call(PEOPLE)).status).toBe(503);
  });
});

describe('R4: folders', () => {
  it('are listed as one tree, under the folder that holds the home files', async () => {
    const { read } = await realAccount();
    const root = await read<TreeJson>(FOLDERS);
    expect(root).toMatchObject({ id: HOME, name: 'All files', level: 1, parent_id: null });
    expect(root.children.map(({ name }) => name)).toEqual(['Design', 'Copy']);
    const [design] = root.children;
    expect(design).toMatchObject({ id: DESIGN, level: 2, parent_id: HOME });
    expect(design?.children.map(({ name }) => name)).toEqual(['Logos', 'Screens']);
    expect(design?.children[0]).toMatchObject({ level: 3, parent_id: DESIGN, children: [] });
    expect(await read(`${FOLDERS}?start=1&limit=100`)).toEqual([]);
  });

  it('are listed as an array whose folders have children', async () => {
    const { read } = await realAccount({ folderList: 'nested' });
    const tops = await read<TreeJson[]>(FOLDERS);
    expect(tops.map(({ name }) => name)).toEqual(['All files', 'Design', 'Copy']);
    expect(tops[1]).toMatchObject({ level: 1, parent_id: 'root' });
    expect(tops[1]?.children).toMatchObject([
      { name: 'Logos', children: [] },
      { name: 'Screens', children: [{ name: 'Mobile' }] },
    ]);
    expect(await read(`${FOLDERS}?start=2`)).toMatchObject([{ name: 'Copy' }]);
  });

  it('are listed newest first on each level', async () => {
    const { read } = await realAccount({ listOrder: everyList('newest-first') });
    const root = await read<TreeJson>(FOLDERS);
    expect(root.id).toBe(HOME);
    expect(root.children.map(({ name }) => name)).toEqual(['Copy', 'Design']);
    expect(root.children[1]?.children.map(({ name }) => name)).toEqual(['Screens', 'Logos']);
  });

  it('are an empty list for a project that has none', async () => {
    const { read, service } = await realAccount();
    for (const { id } of service.store.folders(WEBSITE)) service.store.deleteFolder(id);
    expect(await read(FOLDERS)).toEqual([]);
  });
});

describe('R5: a folder or project that does not exist', () => {
  it('returns an empty list', async () => {
    const { read } = await realAccount();
    expect(await read(filesOf(NOWHERE))).toEqual([]);
    expect(await read(filesOf(DESIGN, NOWHERE))).toEqual([]);
    expect(await read(filesOf(CONTRACTS))).toEqual([]);
    expect(await read(`${PROJECTS}/${NOWHERE}/folders`)).toEqual([]);
  });

  it('returns the list of everything that the user sees', async () => {
    const { call, read } = await realAccount({ unknownParent: 'whole-collection' });
    expect(namesIn(await read(filesOf(NOWHERE)))).toEqual([
      'harbour-mark.svg',
      'About us – draft 2.md',
      'Radio Nord.txt',
    ]);
    const folders = `${PROJECTS}/${NOWHERE}/folders`;
    expect(await read(folders)).toHaveLength(14);
    const some = await call(folders, { apiKey: LIMITED_API_KEY });
    expect(await some.json()).toHaveLength(10);
  });

  it('returns an error if the switch says so, and never accepts a file in any account', async () => {
    const { attach, create, read, service } = await realAccount();
    const body = { attachments: [await attach()], folder: NOWHERE };
    expect(await (await create(NOWHERE, body)).json()).toMatchObject({ code: 1404 });
    expect(service.store.files()).toHaveLength(3);
    service.behaviour.set('real', { unknownParent: 'refused' });
    expect(await read(filesOf(NOWHERE))).toMatchObject({ code: 1404 });
  });
});

describe('R6: names', () => {
  const NAME = `R&D <"plan's">.txt`;
  const ESCAPED = 'R&amp;D &lt;&quot;plan&#039;s&quot;&gt;.txt';
  const project = {
    id: WEBSITE,
    title: 'R&D',
    description: "Who's <where>",
    creatorId: 12009183,
    homeFolderId: HOME,
    createdAt: 0,
    folders: [{ id: HOME, name: 'Q&A' }],
  };
  const person = { id: 12009183, firstName: 'Maya', lastName: 'L', email: 'm@example.com' };
  const apiKey = 'demo-key-maya-lindqvist';
  const seed = { people: [{ ...person, apiKey, projects: [WEBSITE] }], projects: [project] };

  it('of projects, and their descriptions, are escaped', async () => {
    const { read, service } = await realAccount({}, { seed });
    const escaped = { title: 'R&amp;D', description: 'Who&#039;s &lt;where&gt;' };
    expect(await read(PROJECTS)).toMatchObject([escaped]);
    service.behaviour.set('real', { titles: 'plain' });
    expect(await read(PROJECTS)).toMatchObject([{ title: 'R&D', description: "Who's <where>" }]);
  });

  it('of files and of folders are escaped by a switch of their own', async () => {
    const { fill, read, service } = await realAccount({ fileNames: 'escaped' }, { seed });
    expect(await fill(HOME, [NAME])).toMatchObject({ name: ESCAPED });
    expect(await read(filesOf(HOME))).toMatchObject([{ name: ESCAPED }]);
    expect(await read(FOLDERS)).toMatchObject({ name: 'Q&A' });
    service.behaviour.set('real', { folderNames: 'escaped' });
    expect(await read(filesOf(HOME))).toMatchObject([{ name: NAME }]);
    expect(await read(FOLDERS)).toMatchObject({ name: 'Q&amp;A' });
  });

  it('are chosen by the service if the switch says so', async () => {
    const { attach, create, fill, read, service } = await realAccount({
      namesOnCreate: 'numbered',
    });
    await fill(DESIGN, ['report.pdf', 'report.pdf', 'notes']);
    const numberedNames = ['report_1.pdf', 'report_2.pdf', 'notes_1'];
    expect(namesIn(await read(filesOf(DESIGN)))).toEqual(numberedNames);
    service.behaviour.set('real', { namesOnCreate: 'own' });
    const attachment = await attach({ name: 'report.pdf' });
    const created = await create(COPY, { attachments: [attachment], folder: COPY });
    expect(await created.json()).toMatchObject({ name: `file-${attachment}.pdf` });
  });
});

describe('R7: the address of a file', () => {
  it('is an object, and returns the bytes to a caller with a key', async () => {
    const { read, fill } = await realAccount();
    await fill(LOGOS, ['notes.txt']);
    const [image, text] = await read<{ url: Record<string, string | null> }[]>(filesOf(LOGOS));
    expect(image?.url['full_image']).toBe(image?.url['view']);
    expect(text?.url['full_image']).toBeNull();
    const address = String(text?.url['view']);
    const apiKey = { 'X-API-KEY': LIMITED_API_KEY };
    expect(await (await fetch(address, { headers: apiKey })).text()).toBe('hello');
    expect(await (await fetch(address)).json()).toMatchObject({ code: 1001 });
  });

  it('stays the same when the response is malformed', async () => {
    const { read, service } = await realAccount();
    service.faults.next({ mode: 'malformed' });
    const view = `${service.accountUrl}/files/1254836/download`;
    const [first] = await read<{ url: object }[]>(filesOf(LOGOS));
    expect(first?.url).toEqual({ view, full_image: view });
  });

  it('is a string if the switch says so', async () => {
    const { read, service } = await realAccount({ fileUrl: 'text' });
    const url = `${service.accountUrl}/files/1254836/download`;
    expect(await read(filesOf(LOGOS))).toMatchObject([{ url }]);
  });
});

describe('R8 and R9: creators and dates', () => {
  it('give the creator as a number, and dates with their offset', async () => {
    const { fill, read, service } = await realAccount();
    const [maya, dated] = [12009183, '2026-01-05T09:00:00+00:00'];
    expect(await fill(DESIGN, ['a.txt'])).toMatchObject({ creator: maya, created_at: dated });
    expect(await read(PROJECTS)).toMatchObject([{ creator: maya }, {}, {}]);
    service.behaviour.set('real', { creator: 'object' });
    expect(await read(filesOf(DESIGN))).toMatchObject([{ creator: { id: maya } }]);
  });

  it('give identifiers of 8 digits, or of as many as the account has reached', async () => {
    const { fill } = await realAccount();
    expect(await fill(DESIGN, ['a.txt'])).toMatchObject({ id: 58_200_001 });
    const file = {
      id: 1_234_567_890_123,
      name: 'old',
      content: '',
      creatorId: 12009183,
      createdAt: 0,
    };
    const folder = { id: HOME, name: 'All files', files: [file] };
    const projects = [{ id: WEBSITE, title: 'Old', creatorId: 12009183, homeFolderId: HOME }];
    const seed = {
      people: defaultSeed.people,
      projects: projects.map((project) => ({ ...project, createdAt: 0, folders: [folder] })),
    };
    const later = await realAccount({}, { seed });
    expect(await later.fill(HOME, ['b.txt'])).toMatchObject({ id: 1_234_567_890_124 });
  });

  it('set by_me for what the key’s user created', async () => {
    const { call } = await realAccount();
    const seenBy = async (options: CallOptions) => (await call(filesOf(LOGOS), options)).json();
    expect(await seenBy({})).toMatchObject([{ by_me: false, approved_by_me: true }]);
    expect(await seenBy({ apiKey: LIMITED_API_KEY })).toMatchObject([
      { by_me: true, approved_by_me: false },
    ]);
  });
});

describe('R10: the rate limit', () => {
  const rateLimit = { requests: 1, windowMs: 10_000 };

  it('is reported by status, with the seconds to wait', async () => {
    const { call } = await realAccount({}, { rateLimit });
    await call(PEOPLE);
    const answer = await call(PEOPLE);
    expect(answer.status).toBe(429);
    expect(answer.headers.get('Retry-After')).toBe('10');
  });

  it('is reported by a text inside a 200 if the switch says so', async () => {
    const { call, read } = await realAccount({ rateLimitErrors: ['all-markers'] }, { rateLimit });
    await call(PEOPLE);
    const message = 'Rate limit exceeded. Please try again in 10 seconds.';
    expect(await read(PEOPLE)).toMatchObject({ success: false, message });
  });
});

describe('the profile', () => {
  it('is the specified one by default, and can be changed at run time', async () => {
    const { call, service } = await fileServiceUnderTest();
    expect(service.behaviour.profile()).toBe('specified');
    expect((await call('/api/v3/nothing')).status).toBe(404);
    service.behaviour.set('real');
    expect(service.behaviour.profile()).toBe('real');
    expect((await call('/api/v3/nothing')).status).toBe(200);
    service.behaviour.set('specified');
    expect((await call('/api/v3/nothing')).status).toBe(404);
  });
});
