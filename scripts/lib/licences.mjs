import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundledPackages } from './bundled-packages.mjs';
import { inRoot, StepError } from './steps.mjs';

/**
 * The licences of the packages that these modules are of.
 * @param {string[]} modules paths of files
 */
export function licences(modules) {
  const texts = bundledPackages(modules).map(
    ({ folder, name, version, license }) => `${name} ${version} (${license})\n\n${licenceText(folder, name)}`,
  );
  return `${texts.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}

/**
 * As the package has it, or, for one that only names its licence, as scripts/licences/ has it.
 * @param {string} folder
 * @param {string} name
 */
function licenceText(folder, name) {
  const own = readdirSync(folder).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file));
  const stored = inRoot(`scripts/licences/${name}.txt`);
  const files = own.length > 0 ? own.map((file) => join(folder, file)) : [stored].filter((file) => existsSync(file));
  const text = files.map((file) => readFileSync(file, 'utf8').trim()).join('\n\n');
  if (text !== '') return text;
  throw new StepError(
    `The package ${name} has no text of its licence, and what is built contains it. Put the text into scripts/licences/${name}.txt.`,
  );
}
