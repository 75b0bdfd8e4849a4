// Writes docs/settings.md from the built schema: npm run build, then this.
import { writeFile } from 'node:fs/promises';
import { settingsPage } from '../dist/config/settings-page.js';

await writeFile(new URL('../docs/settings.md', import.meta.url), settingsPage());
