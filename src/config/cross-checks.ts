import { originOf, type SettingName, type Settings } from './settings.ts';
import { formatAddress } from './triton-address.ts';

const tlsSettings = ['tritonCa', 'tritonCert', 'tritonKey', 'tritonServerName'] as const;

/** Mistakes that no setting shows by itself: those that contradict each other. */
export function crossChecks(settings: Settings): readonly string[] {
  const where = (name: SettingName) => originOf(settings, name).where;
  const problems: string[] = [];
  if (settings.historyTemplate !== undefined && settings.historyTemplateFile !== undefined) {
    problems.push(
      `history_template (${where('historyTemplate')}) and history_template_file (${where('historyTemplateFile')}) exclude each other.`,
    );
  }
  if ((settings.tritonCert === undefined) !== (settings.tritonKey === undefined)) {
    const [has, lacks] =
      settings.tritonKey === undefined
        ? (['tritonCert', 'triton_key'] as const)
        : (['tritonKey', 'triton_cert'] as const);
    problems.push(`${where(has)}: a certificate and its key go together, and ${lacks} is missing.`);
  }
  const idle = tlsSettings.find((name) => settings[name] !== undefined);
  if (idle !== undefined && settings.triton.length > 0 && settings.triton.every(({ tls }) => !tls)) {
    problems.push(`${where(idle)} has no effect: no Triton server is spoken to with TLS.`);
  }
  const addresses = settings.triton.map(formatAddress);
  if (settings.dnsServer !== undefined && !settings.triton.some(({ dns }) => dns))
    problems.push(`${where('dnsServer')} has no effect: no --triton begins with dns:.`);
  for (const twice of new Set(addresses.filter((address, index) => addresses.indexOf(address) !== index))) {
    problems.push(`${where('triton')}: ${twice} is given twice.`);
  }
  if (settings.loadModel.length > 0 && settings.modelControlMode !== 'explicit')
    problems.push(`${where('loadModel')} needs --model-control-mode explicit.`);
  if (settings.loadModel.length > 1 && settings.loadModel.includes('*'))
    problems.push(`${where('loadModel')}: * stands for all models, so it stands alone.`);
  if (settings.loadOnDemand && settings.modelRepository.length > 0 && settings.modelControlMode !== 'explicit')
    problems.push(`${where('loadOnDemand')} with --model-repository needs --model-control-mode explicit.`);
  if (settings.maxLoaded !== undefined && !settings.loadOnDemand)
    problems.push(`${where('maxLoaded')} needs --load-on-demand.`);
  if (settings.maxLoaded !== undefined && settings.loadModel.length > settings.maxLoaded)
    problems.push(`${where('loadModel')}: more models than --max-loaded allows.`);
  if (settings.kserveHttpPort !== 0 && settings.kserveHttpPort === settings.kserveGrpcPort)
    problems.push(`${where('kserveGrpcPort')}: the two KServe frontends need a port each.`);
  if (settings.allowImageAddresses.length > 0 && settings.allowImageUrls.length === 0)
    problems.push(`${where('allowImageAddresses')} needs --allow-image-urls.`);
  if ((settings.tlsCert === undefined) !== (settings.tlsKey === undefined)) {
    const [has, lacks] =
      settings.tlsKey === undefined ? (['tlsCert', '--tls-key'] as const) : (['tlsKey', '--tls-cert'] as const);
    problems.push(`${where(has)}: a certificate and its key go together, and ${lacks} is missing.`);
  }
  if (settings.tlsClientCa !== undefined && settings.tlsCert === undefined)
    problems.push(`${where('tlsClientCa')} needs --tls-cert and --tls-key.`);
  return [...problems, ...keyChecks(settings), ...aliasChecks(settings), ...admissionChecks(settings)];
}

function keyChecks(settings: Settings): readonly string[] {
  const { where } = originOf(settings, 'jwtJwks');
  if (settings.jwtJwks !== undefined)
    return settings.jwtIssuer === undefined ? [`${where} needs --jwt-issuer: whose tokens they are.`] : [];
  const idle = (['jwtIssuer', 'jwtAudience', 'jwtClaimPrefix'] as const).filter((name) => settings.origins.has(name));
  const problems = idle.map((name) => `${originOf(settings, name).where} needs --jwt-jwks.`);
  if (settings.redis !== undefined && settings.apiKeyFile === undefined)
    problems.push(
      `${originOf(settings, 'redis').where} needs --api-key-file or --jwt-jwks: only their keys have limits to count.`,
    );
  return problems;
}

function aliasChecks(settings: Settings): readonly string[] {
  return Object.entries(settings.models).flatMap(([name, { serves }]) => {
    if (serves === undefined) return [];
    const place = `${originOf(settings, `models.${name}.serves`).where}: models.${name}.serves`;
    if (serves === name) return [`${place} names the model itself.`];
    const chained = Object.hasOwn(settings.models, serves) && settings.models[serves]?.serves !== undefined;
    return chained ? [`${place} must name a model of the server, and ${serves} is an alias too.`] : [];
  });
}

/** A queue stands before a limit, and a limit holds for a model under all its names. */
function admissionChecks(settings: Settings): readonly string[] {
  const problems: string[] = [];
  const limited = Object.values(settings.models).some(({ maxRunning }) => maxRunning !== undefined);
  const isGiven = settings.origins.has('maxWaiting');
  if (isGiven && settings.maxRunning === undefined && !limited)
    problems.push(`${originOf(settings, 'maxWaiting').where} needs --max-running.`);
  for (const [name, { serves, maxRunning, maxWaiting }] of Object.entries(settings.models)) {
    const key = maxRunning === undefined ? 'maxWaiting' : 'maxRunning';
    const { where } = originOf(settings, `models.${name}.${key}`);
    if (maxWaiting !== undefined && maxRunning === undefined && settings.maxRunning === undefined)
      problems.push(`${where}: models.${name}.max_waiting needs max_running.`);
    if (serves !== undefined && (maxRunning ?? maxWaiting) !== undefined)
      problems.push(`${where}: models.${name} is another name of ${serves}; the limit belongs under models.${serves}.`);
  }
  return problems;
}

type Worked = Pick<Settings, 'workers' | 'maxLoaded' | 'loraRoot' | 'triton' | 'model' | 'modelRepository'>;

/** What holds for one process alone, and does not go with several. */
export function workerChecks(settings: Worked): readonly string[] {
  const { workers, maxLoaded, loraRoot, triton, model, modelRepository } = settings;
  if (workers === 1) return [];
  const problems: string[] = [];
  if (maxLoaded !== undefined) problems.push('--max-loaded counts the models of one process; leave --workers out.');
  if (loraRoot !== undefined)
    problems.push(
      '--lora-root: adapters that are loaded while Conch runs are known to one process; leave --workers out.',
    );
  const isAlone = triton.length + modelRepository.length === 0;
  const inside = model[0] ?? (isAlone ? 'the default model' : undefined);
  if (inside !== undefined) problems.push(insideOneProcess(settings, inside));
  return problems;
}

/** Why a model of the embedded engine does not go with several workers. */
export function insideOneProcess({ workers }: Pick<Settings, 'workers'>, model: string): string {
  return (
    `--workers ${workers}: ${model} runs inside one process (the embedded engine). ` +
    'Leave --workers out, or serve models of Triton alone.'
  );
}
