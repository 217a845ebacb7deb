// Holds package.json and the lockfile against what the project takes, before anything is installed.
// It believes no mark of the lockfile. Whatever could make npm fetch something else than the
// registry's own package of that name and version, or run code at an install, is a problem, and so is
// every field that this check does not know. What production installs is followed from the project's
// own dependencies. After the install, check-installed.js compares the lockfile with the packages.
//   node .ci/check-packages.js [folder with package.json and package-lock.json]
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const LICENCES = ['MIT', 'ISC', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD'];
/** Tools may also be under this one: nothing of them is shipped or run with the product. */
const LICENCES_OF_TOOLS = [...LICENCES, 'MPL-2.0'];

/** npm would take settings, versions or addresses from these, and build what the last describes. */
const FILES_NOT_TAKEN = ['.npmrc', 'npm-shrinkwrap.json', 'yarn.lock', 'binding.gyp'];

const OWN_LISTS = ['dependencies', 'devDependencies', 'optionalDependencies'];
const LISTS = ['dependencies', 'optionalDependencies', 'peerDependencies'];
const DESCRIPTION = ['name', 'version', 'license', 'engines'];
const FIELDS = {
  project: [...DESCRIPTION, ...OWN_LISTS, 'description', 'private', 'type', 'scripts'],
  lockfile: ['name', 'version', 'lockfileVersion', 'requires', 'packages'],
  root: [...DESCRIPTION, ...OWN_LISTS],
  // Without "resolved", npm asks the registry that it is set up with for the name and version;
  // npm install --omit-lockfile-registry-resolved writes such a lockfile.
  entry: [
    ...['version', 'integrity', 'license', 'bin', 'engines', 'os', 'cpu', 'libc', ...LISTS],
    ...['peerDependenciesMeta', 'dev', 'optional', 'devOptional', 'peer', 'deprecated', 'funding'],
  ],
};

/** Scripts that npm runs without being asked: at an install, or before and after another script. */
const UNASKED = /^(pre|post|install$|uninstall$|publish$|dependencies$|version$)/;
const NAME = '(?!node_modules(?:/|$))(?:@[a-z0-9][a-z0-9._-]*/)?[a-z0-9][a-z0-9._-]*';
const ONLY_NAME = new RegExp(`^${NAME}$`);
const PATH = new RegExp(`^node_modules/${NAME}(/node_modules/${NAME})*$`);
// Letters only directly after the hyphen: npm takes 1.0.0-a.tgz for the name of a file.
const PRERELEASE = '(-[0-9A-Za-z-]+(\\.\\d+)*)?';
const VERSION = new RegExp(`^\\d+\\.\\d+\\.\\d+${PRERELEASE}$`);
const RANGE_PART = new RegExp(`^(-|[<>]=?|([<>]?=?|[~^])(\\*|\\d+(\\.\\d+){0,2}${PRERELEASE}))$`);
const SHA512 = /^sha512-[A-Za-z0-9+/]{86}==$/;

const folder = process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url));
const read = (name) => JSON.parse(readFileSync(join(folder, name), 'utf8'));
const project = read('package.json');
const lockfile = read('package-lock.json');
const { '': root, ...entries } = lockfile.packages;

const inProduction = reachedFrom(['dependencies', 'optionalDependencies']);
const inUse = reachedFrom(OWN_LISTS);
const problems = [
  ...FILES_NOT_TAKEN.filter((name) => existsSync(join(folder, name))).map(
    (name) => `${name} is not taken`,
  ),
  ...problemsOfProject().map((problem) => `package.json: ${problem}`),
  ...problemsOfLockfile().map((problem) => `package-lock.json: ${problem}`),
  ...Object.entries(entries).flatMap(([path, entry]) =>
    problemsOfEntry(path, entry).map((problem) => `${path}: ${problem}`),
  ),
];

if (problems.length > 0) {
  process.stderr.write(`${problems.join('\n')}\n`);
  process.exitCode = 1;
} else
  process.stdout.write(
    `${inUse.size} packages, ${inProduction.size} of them in production: sources, checksums, licences\n`,
  );

function problemsOfProject() {
  const scripts = Object.keys(project.scripts ?? {}).filter((name) => UNASKED.test(name));
  return [
    ...unknownFields(project, FIELDS.project),
    ...unknownRanges(project, OWN_LISTS),
    ...scripts.map((name) => `npm runs the script "${name}" unasked`),
  ];
}

function problemsOfLockfile() {
  const differing = OWN_LISTS.filter((list) => textOf(root[list]) !== textOf(project[list]));
  return [
    ...unknownFields(lockfile, FIELDS.lockfile),
    ...unknownFields(root, FIELDS.root),
    ...differing.map((list) => `its ${list} are not those of package.json`),
    ...(lockfile.lockfileVersion === 3 ? [] : ['its lockfileVersion is not 3']),
  ];
}

function problemsOfEntry(path, entry) {
  const { version, integrity, license, dev = false } = entry;
  const isShipped = inProduction.has(path);
  const isTaken = isLicenceOf(isShipped ? LICENCES : LICENCES_OF_TOOLS, license);
  return [
    ...unknownFields(entry, FIELDS.entry),
    ...unknownRanges(entry, LISTS),
    ...(PATH.test(path) ? [] : ['this is no path of a package']),
    ...(isText(version, VERSION) ? [] : [`${version} is no version`]),
    ...(isText(integrity, SHA512) ? [] : ['it has no sha512']),
    ...(isTaken ? [] : [`the licence ${license ?? '(none)'} is not taken`]),
    ...(inUse.has(path) ? [] : ['no package that is installed asks for it']),
    ...(dev === !isShipped ? [] : [`"dev" is wrong: production installs it: ${isShipped}`]),
  ];
}

function unknownFields(object, known) {
  const unknown = Object.entries(object).filter(([name]) => !known.includes(name));
  return unknown.map(([name, value]) => `"${name}" is not taken: ${JSON.stringify(value)}`);
}

/** What is anything but a version or a range: an address, a folder, another package, a tag. */
function unknownRanges(object, lists) {
  const asked = lists.flatMap((list) => Object.entries(object[list] ?? {}));
  const unknown = asked.filter(([name, range]) => !(isText(name, ONLY_NAME) && isRange(range)));
  return unknown.map(([name, range]) => `it asks for ${name} as "${range}", which is no range`);
}

function isRange(text) {
  if (typeof text !== 'string') return false;
  const alternatives = text.split('||').map((one) => one.trim().split(/ +/));
  return alternatives.every((parts) => parts.every((part) => RANGE_PART.test(part)));
}

/** The paths of all packages that these lists of the project lead to, found as Node.js finds them. */
function reachedFrom(lists) {
  const reached = new Set();
  const follow = (from, names) => {
    for (const name of names) {
      const path = pathFrom(from, name);
      if (path === null || reached.has(path)) continue;
      reached.add(path);
      follow(path, namesOf(entries[path]));
    }
  };
  follow(
    '',
    lists.flatMap((list) => Object.keys(project[list] ?? {})),
  );
  return reached;
}

// A peer that may be missing is not installed for the package that names it.
function namesOf({ peerDependencies = {}, peerDependenciesMeta = {}, ...lists }) {
  const peers = Object.keys(peerDependencies);
  return [
    ...Object.keys(lists.dependencies ?? {}),
    ...Object.keys(lists.optionalDependencies ?? {}),
    ...peers.filter((name) => !peerDependenciesMeta[name]?.optional),
  ];
}

function pathFrom(from, name) {
  const path = `${from}/node_modules/${name}`.replace(/^\//, '');
  if (Object.hasOwn(entries, path)) return path;
  const above = from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/')));
  return from === '' ? null : pathFrom(above, name);
}

function isText(value, pattern) {
  return typeof value === 'string' && pattern.test(value);
}

function textOf(list = {}) {
  return JSON.stringify(Object.entries(list).sort());
}

/** Of an SPDX expression without brackets: one alternative whose every part is taken. */
function isLicenceOf(taken, licence) {
  const alternatives = String(licence)
    .replace(/^\((.*)\)$/, '$1')
    .split(' OR ');
  return alternatives.some((one) => one.split(' AND ').every((id) => taken.includes(id)));
}
