/** How it is shown that a command of the documents does what they say. */
interface ShownCommand {
  /** The command, or all of this form. */
  command: string | RegExp;
  /** A file that runs it, or what it starts, and a text in that file which does so. */
  by?: readonly [file: string, text: string];
  /** It is run by test/docs/run-commands.test.ts, with these words behind it, and prints this. */
  run?: { more?: string; prints: RegExp };
  /** It is not run anywhere, but its form and the files that it names are checked, as it needs this. */
  needs?:
    | 'Docker'
    | 'Heroku'
    | 'systemd'
    | 'the address of the repository'
    | 'a quiet machine'
    | 'an older ledger';
}

/** Every command in the documents. */
export const COMMANDS: readonly ShownCommand[] = [
  {
    command: 'git clone https://example.com/pigeonhole.git',
    needs: 'the address of the repository',
  },
  { command: 'cd pigeonhole', needs: 'the address of the repository' },
  { command: 'git push heroku HEAD:main', needs: 'Heroku' },

  { command: 'npm ci', by: ['.ci/run', 'npm ci'] },
  { command: 'npm ci --omit=dev', by: ['docs/deploy/Dockerfile', 'npm ci --omit=dev'] },
  { command: 'npm start', by: ['test/crash/lossless-process.test.ts', 'startWithNpm('] },
  { command: 'npm start -- --check', by: ['test/main.test.ts', "['--check']"] },
  { command: 'npm start -- --new-ledger', needs: 'an older ledger' },
  {
    command: 'node --expose-gc --require=./src/prepare-node.cjs src/main.ts',
    by: ['package.json', 'node --expose-gc --require=./src/prepare-node.cjs src/main.ts'],
  },

  { command: 'npm run playground', by: ['.ci/run', 'npm run playground'] },
  {
    command: 'npm run playground -- --share report.pdf photo.jpg',
    run: {
      more: '--port 0 --exit',
      prints: /report\.pdf: .* sha256 equal.*photo\.jpg: .* equal/s,
    },
  },
  {
    command: 'npm run playground -- --verbose',
    run: { more: '--port 0 --share photo.jpg --exit', prints: /"level":30.*A file was filed/s },
  },
  {
    command: 'npm run playground -- --replay world.jsonl',
    by: ['test/playground/start.test.ts', "['--replay', path"],
  },

  { command: 'npm test', by: ['.ci/run', 'npm test'] },
  { command: 'npm run check', by: ['package.json', '"test": "npm run check &'] },
  { command: 'npm run format', by: ['package.json', '"format": "biome check --write"'] },
  { command: 'bash .ci/run', by: ['.github/workflows/check.yml', 'bash .ci/run'] },
  { command: /^npm run test:(flow|crash|scale|browser|image)$/, by: ['.ci/run', 'npm run test:'] },
  {
    command: /^npx vitest run --config test\/vitest\.config\.ts --project (rooms|flow) test\/\S+$/,
    by: ['package.json', 'vitest run --config test/vitest.config.ts --project rooms'],
  },
  { command: /^npm run sim -- --minutes \d+$/, by: ['.ci/long', 'npm run sim -- --minutes'] },
  { command: 'npm run sim -- --seed 7 --trace', run: { prints: /Every property held/ } },
  { command: 'npm run sim -- --seed 7 --out world.jsonl', run: { prints: /Every property held/ } },
  {
    command: /^npm run sim:teeth( -- --only '.*')?$/,
    by: ['.ci/run', 'npm run sim:teeth -- --quick'],
  },
  { command: 'npm run bench -- --list', run: { prints: /small-bursts/ } },
  {
    command: /^npm run bench( -- (--write|NAME|[a-z][a-z-]+)( --verbose)?)?$/,
    needs: 'a quiet machine',
  },
  { command: 'node .ci/check-packages.js', by: ['.ci/run', 'node .ci/check-packages.js'] },
  { command: 'npm run release -- 1.2.0', by: ['test/release.test.ts', 'release.js'] },
  { command: 'npm run docs:settings', by: ['test/settings.test.ts', 'settingsDocument()'] },
  { command: 'npm run docs:words', by: ['test/docs/words.test.ts', 'wordsDocument()'] },
  { command: 'npm run docs:pictures', by: ['package.json', 'test/docs/pictures.sh'] },

  { command: 'cp .env.sample .env', run: { prints: /^$/ } },
  { command: 'chmod 600 .env', run: { prints: /^$/ } },
  {
    command: 'curl http://127.0.0.1:3000/readyz',
    by: ['test/flow/requests.test.ts', '/readyz'],
  },
  { command: 'curl URL | curl -F file=@/dev/stdin', needs: 'a quiet machine' },
  { command: 'install -m 600 .env /etc/pigeonhole.env', needs: 'systemd' },
  { command: 'rm .env', needs: 'systemd' },
  { command: 'cp docs/deploy/pigeonhole.service /etc/systemd/system/', needs: 'systemd' },
  { command: /^systemctl (daemon-reload|enable --now pigeonhole)$/, needs: 'systemd' },
  { command: /^docker compose -f docs\/deploy\/compose\.yml /, needs: 'Docker' },
  { command: /^heroku (create$|addons:create|config:set)/, needs: 'Heroku' },
];
