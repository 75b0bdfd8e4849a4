import type { ModelTensor } from '../kserve/messages.ts';
import type { Finding } from './finding.ts';
import type { AvailableModel } from './repository-model.ts';

/** Finds batch sizes and tensors of a configuration that Triton would reject. */
export function checkTensors({ config, source }: AvailableModel): readonly Finding[] {
  const report: Report = (severity, path, text) => ({
    severity,
    file: source.configFile,
    position: source.read?.positions.get(path),
    text,
  });
  const batch =
    config.max_batch_size < 0 ? [report('error', 'max_batch_size', 'max_batch_size must not be negative.')] : [];
  return [...batch, ...checkSide('input', config.input, report), ...checkSide('output', config.output, report)];
}

type Report = (severity: Finding['severity'], path: string, text: string) => Finding;

function checkSide(side: 'input' | 'output', tensors: readonly ModelTensor[], report: Report): readonly Finding[] {
  return tensors.flatMap((tensor, at) => {
    const path = `${side}[${at}]`;
    const { name, data_type: type, dims } = tensor;
    if (name === '') return [report('error', path, `this ${side} has no name.`)];
    const findings: Finding[] = [];
    if (tensors.findIndex((other) => other.name === name) !== at) {
      findings.push(report('warning', path, `the ${side} ${name} is declared twice.`));
    }
    if (type === 'TYPE_INVALID') {
      findings.push(
        report('warning', path, `the ${side} ${name} has no data_type: the backend must be able to complete it.`),
      );
    } else if (!/^TYPE_[A-Z]/.test(type)) {
      findings.push(report('error', `${path}.data_type`, `the ${side} ${name} has the unknown data_type ${type}.`));
    }
    const wrong = dims.find((size) => size === 0 || size < -1);
    if (wrong !== undefined) {
      findings.push(report('error', `${path}.dims`, `the dims of ${name} must be -1 or at least 1, not ${wrong}.`));
    }
    return findings;
  });
}
