// Holds what npm installed against the lockfile that check-packages.js has accepted, before any code
// of a package runs: each package says of itself what the lockfile says of it, and has no script
// that npm would run at an install. So this comes after npm ci --ignore-scripts.
//   node .ci/check-installed.js [folder with package-lock.json and node_modules]
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FIELDS = [
  ...['name', 'version', 'license', 'bin', 'engines', 'os', 'cpu', 'libc'],
  ...['dependencies', 'optionalDependencies', 'peerDependencies', 'peerDependenciesMeta'],
];
const SCRIPTS = ['preinstall', 'install', 'postinstall'];
/** npm builds what the first describes, and takes versions and addresses from the second. */
const FILES_NOT_TAKEN = ['binding.gyp', 'npm-shrinkwrap.json'];

const folder = process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url));
const read = (...path) => JSON.parse(readFileSync(join(folder, ...path), 'utf8'));
const { '': _root, ...entries } = read('package-lock.json').packages;

const installed = packagesIn('node_modules');
const problems = installed.flatMap((path) =>
  problemsOf(path).map((problem) => `${path}: ${problem}`),
);
if (installed.length === 0) problems.push('node_modules: no package is installed');

if (problems.length > 0) {
  process.stderr.write(`${problems.join('\n')}\n`);
  process.exitCode = 1;
} else {
  const others = Object.keys(entries).length - installed.length;
  process.stdout.write(
    `${installed.length} packages are as the lockfile says, without install scripts; ${others} more are for other platforms\n`,
  );
}

/** Returns the paths of the packages in a node_modules folder and in those of its packages. */
function packagesIn(modules) {
  if (!existsSync(join(folder, modules))) return [];
  const names = readdirSync(join(folder, modules)).filter((name) => !name.startsWith('.'));
  const paths = names.flatMap((name) => {
    const path = `${modules}/${name}`;
    return name.startsWith('@')
      ? readdirSync(join(folder, path)).map((one) => `${path}/${one}`)
      : [path];
  });
  return paths.flatMap((path) => [path, ...packagesIn(`${path}/node_modules`)]);
}

function problemsOf(path) {
  if (!Object.hasOwn(entries, path)) return ['the lockfile does not have it'];
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const said = { ...entries[path], name };
  const own = read(path, 'package.json');
  const differing = FIELDS.filter((field) => textOf(said, field) !== textOf(own, field));
  return [
    ...differing.map(
      (field) => `its ${field} is ${textOf(own, field)}, not ${textOf(said, field)}`,
    ),
    ...SCRIPTS.filter((script) => own.scripts?.[script]).map(
      (script) => `it has a script ${script}`,
    ),
    ...FILES_NOT_TAKEN.filter((file) => existsSync(join(folder, path, file))).map(
      (file) => `it has a ${file}`,
    ),
  ];
}

// npm names a package's only command after the package, and leaves out lists that are empty.
function textOf(manifest, field) {
  const { [field]: value } = manifest;
  const isOnlyCommand = field === 'bin' && typeof value === 'string';
  const full = isOnlyCommand ? { [manifest.name.split('/').pop()]: value } : value;
  const text = JSON.stringify(full, sorted)?.replaceAll('"./', '"');
  return text === '{}' ? undefined : text;
}

function sorted(_key, value) {
  const isList = value !== null && typeof value === 'object' && !Array.isArray(value);
  return isList ? Object.fromEntries(Object.entries(value).sort()) : value;
}
