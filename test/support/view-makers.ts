import { readFileSync } from 'node:fs';

const HELPERS =
  /Value$|Line$|Options$|^(pageOf|canRetry|reactionFor|sharePhase|isInHand|operatorMember|(link|save)Refusal|formErrors|projectChoice|read(Link|Save)Form|readPlace|topFolder|filesToSave|folderPick|requestOf|saveRequestOf|folderNotMade)$/;

/** The names of all functions that make what people read, as the views list them. */
export function viewMakers(): string[] {
  const index = readFileSync(new URL('../../src/blocks/index.ts', import.meta.url), 'utf8');
  const values = index.replaceAll(/export type \{[^}]*\}|type \w+/g, '');
  const made = [...values.matchAll(/^ {2}?([a-z]\w+),?$|\{ ([a-z]\w+(?:, [a-z]\w+)*) \}/gm)];
  const names = made.flatMap(([, one, some]) => (one ?? some ?? '').split(', '));
  return names.filter((name) => !HELPERS.test(name));
}
