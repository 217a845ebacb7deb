import type { Profiler } from 'node:inspector';
import { Session } from 'node:inspector/promises';

const SAMPLE_EVERY_US = 500;
const session = new Session();

/** Starts to sample what the processor does in this process. */
export async function startProfile(): Promise<void> {
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: SAMPLE_EVERY_US });
  await session.post('Profiler.start');
}

/** Returns the self time in microseconds since then, by owner. */
export async function stopProfile(): Promise<[owner: string, microseconds: number][]> {
  const { profile } = await session.post('Profiler.stop');
  session.disconnect();
  return [...timeByOwner(profile)];
}

const IDLE = new Set(['(idle)', '(program)', '(root)']);

/**
 * Adds up a processor profile by the owner of the time: a room of ours (`src/ledger`), a package,
 * or the garbage collector. Time in Node and V8 counts for the nearest caller that is a room or a
 * package, or else for Node.
 */
export function timeByOwner(profile: Profiler.Profile): Map<string, number> {
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const owners = new Map<number, string | null>();
  assignOwners(nodes, profile.nodes[0], { owners, above: 'node' });
  const times = new Map<string, number>();
  profile.samples?.forEach((id, index) => {
    const owner = owners.get(id);
    const time = profile.timeDeltas?.[index + 1] ?? 0;
    if (owner) times.set(owner, (times.get(owner) ?? 0) + time);
  });
  return times;
}

function assignOwners(
  nodes: Map<number, Profiler.ProfileNode>,
  node: Profiler.ProfileNode | undefined,
  { owners, above }: { owners: Map<number, string | null>; above: string },
): void {
  if (!node) return;
  const { functionName, url } = node.callFrame;
  const own = ownerOf(functionName, url) ?? above;
  owners.set(node.id, IDLE.has(functionName) ? null : own);
  for (const child of node.children ?? []) {
    assignOwners(nodes, nodes.get(child), { owners, above: own });
  }
}

/** Returns the room or package that a frame belongs to; null for Node's and V8's own. */
export function ownerOf(functionName: string, url: string): string | null {
  if (functionName === '(garbage collector)') return 'garbage collector';
  const [, packageName] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url) ?? [];
  if (packageName) return packageName;
  const [, room, rest] = /.*\/src\/([^/]+)(\/.*)?$/.exec(url) ?? [];
  if (!room) return null;
  return rest ? `src/${room}` : 'src';
}
