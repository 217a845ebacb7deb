// Holds what the lockfile names against what the project takes: licences, install scripts, checksums, and
// that each package is the registry's own of that name.
// Needs neither a server nor anything installed, so that it runs before anything is.
//   node .ci/check-packages.js [folder with package.json and package-lock.json]
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const LICENCES = ['MIT', 'ISC', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD'];
/** Tools may also be under this one: nothing of them is shipped or run with the product. */
const LICENCES_OF_TOOLS = [...LICENCES, 'MPL-2.0'];

const folder = process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url));
const read = (name) => JSON.parse(readFileSync(join(folder, name), 'utf8'));

const { packages } = read('package-lock.json');
const named = Object.entries(packages).filter(([path]) => path !== '');
const problems = named.flatMap(([path, entry]) =>
  problemsOf(entry).map((problem) => `${path}: ${problem}`),
);

if (problems.length > 0) {
  process.stderr.write(`${problems.join('\n')}\n`);
  process.exitCode = 1;
} else process.stdout.write(`${named.length} packages: licences, install scripts and checksums\n`);

function problemsOf({ license, integrity, resolved, hasInstallScript, dev, name: alias }) {
  const found = [];
  const licences = dev ? LICENCES_OF_TOOLS : LICENCES;
  if (!isAllowed(license, licences)) found.push(`the licence ${license ?? '(none)'} is not taken`);
  if (!integrity) found.push('it has no checksum in the lockfile');
  // npm's omit-lockfile-registry-resolved leaves out the addresses that are the registry's own.
  if (resolved) found.push(`it comes from an address of its own, ${resolved}`);
  if (alias) found.push(`it is another package, ${alias}`);
  if (hasInstallScript) found.push('it runs a script when it is installed');
  return found;
}

/** Of an SPDX expression without brackets: one alternative whose every part is taken. */
function isAllowed(license, licences) {
  const alternatives = (license ?? '').replace(/^\((.*)\)$/, '$1').split(' OR ');
  return alternatives.some((one) => one.split(' AND ').every((id) => licences.includes(id)));
}
