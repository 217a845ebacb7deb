// Loaded before the sources, which an older Node.js cannot read: it would end with a word of its own
// about file extensions. Plain enough for any Node.js that is still about.
const OLDEST = 24;
const { node } = process.versions;

if (Number.parseInt(node, 10) < OLDEST) {
  process.stderr.write(
    `Pigeonhole cannot start.\nIt needs Node.js ${OLDEST} or newer, and this is ${node}. Install a newer one and start it again.\n`,
  );
  process.exit(1);
}
