import { expect, it } from 'vitest';
import { forPerson } from '../../src/listeners/for-person.ts';
import type { ListenerContext } from '../../src/listeners/listener-context.ts';
import { orCopy } from '../../src/listeners/or-copy.ts';
import { ServiceError, type ServiceErrorCode } from '../../src/service/index.ts';

const CALL = { lane: 'interactive' as const };
const DESTINATION = { projectId: 1, folderId: 2 };

/** Notes for whom each method of it is called, by its last argument. */
function noting(calls: Record<string, unknown>) {
  return new Proxy(
    {},
    {
      get:
        (_target, name) =>
        (...rest: unknown[]) => {
          calls[String(name)] = Object(rest.at(-1)).queue;
        },
      ownKeys: () => [],
    },
  );
}

it('every call to the service is made in the name of who asked', () => {
  const calls: Record<string, unknown> = {};
  const service = noting(calls) as ListenerContext['service'];
  const directory = noting(calls) as ListenerContext['directory'];
  const context: Partial<ListenerContext> = { service, directory };
  const own = forPerson(context as ListenerContext, 'U7');
  own.service.listFiles(DESTINATION, CALL);
  own.service.deleteFile(DESTINATION, 3, CALL);
  own.service.listProjects(CALL);
  own.service.listFolders(1, CALL);
  own.service.listPeople(CALL);
  own.directory.projects({ ...CALL, maxAgeMs: 1 });
  own.directory.folders(1, { ...CALL, maxAgeMs: 1 });
  expect(calls).toEqual({
    listFiles: 'U7',
    deleteFile: 'U7',
    listProjects: 'U7',
    listFolders: 'U7',
    listPeople: 'U7',
    projects: 'U7',
    folders: 'U7',
  });
});

it.each<[ServiceErrorCode, number[]]>([
  ['SERVICE_SHARE_USED', [0, 60_000]],
  ['SERVICE_FAILED', [0]],
])('after %s copies of these ages were asked for: %j', async (code, expected) => {
  const asked: number[] = [];
  const failing = async (maxAgeMs: number) => {
    asked.push(maxAgeMs);
    if (maxAgeMs === 0) throw new ServiceError(code, 'no', { retry: 'later', sent: 'no' });
    return 'a copy';
  };
  const answer = orCopy({ wanted: 0, oldest: 60_000 }, failing);
  if (expected.length === 2) expect(await answer).toBe('a copy');
  else await expect(answer).rejects.toMatchObject({ code });
  expect(asked).toEqual(expected);
});
