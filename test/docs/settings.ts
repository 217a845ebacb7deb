import { writeFile } from 'node:fs/promises';
import { settingsDocument, settingsSample } from './settings-document.ts';

await writeFile(new URL('../../docs/settings.md', import.meta.url), settingsDocument());
await writeFile(new URL('../../.env.sample', import.meta.url), settingsSample());
