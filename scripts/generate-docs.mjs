// Writes docs/settings.md and docs/cli.md from the built tables: npm run build, then this.
import { writeFile } from 'node:fs/promises';
import { cliPage } from '../dist/cli/cli-page.js';
import { settingsPage } from '../dist/config/settings-page.js';

await writeFile(new URL('../docs/settings.md', import.meta.url), settingsPage());
await writeFile(new URL('../docs/cli.md', import.meta.url), cliPage());
