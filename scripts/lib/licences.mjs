import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { inRoot, StepError } from './steps.mjs';

/**
 * The licences of the packages that these modules are of.
 * @param {string[]} modules paths of files
 */
export function licences(modules) {
  const texts = [...new Set(modules.flatMap(packageFolder))].toSorted().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return `${name} ${version} (${license})\n\n${licenceText(folder, name)}`;
  });
  return `${texts.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}

/** @param {string} module */
function packageFolder(module) {
  const marker = `${sep}node_modules${sep}`;
  const at = module.lastIndexOf(marker);
  if (at < 0) return [];
  const [scope = '', name = ''] = module.slice(at + marker.length).split(sep);
  if (scope.startsWith('.')) return [];
  return [join(module.slice(0, at + marker.length), scope.startsWith('@') ? join(scope, name) : scope)];
}

/**
 * As the package has it, or, for one that only names its licence, as scripts/licences/ has it.
 * @param {string} folder
 * @param {string} name
 */
function licenceText(folder, name) {
  const own = readdirSync(folder).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file));
  const kept = inRoot(`scripts/licences/${name}.txt`);
  const files = own.length > 0 ? own.map((file) => join(folder, file)) : [kept].filter((file) => existsSync(file));
  const text = files.map((file) => readFileSync(file, 'utf8').trim()).join('\n\n');
  if (text !== '') return text;
  throw new StepError(
    `The package ${name} has no text of its licence, and what is built contains it. Put the text into scripts/licences/${name}.txt.`,
  );
}
