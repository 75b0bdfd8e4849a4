import { originOf, type SettingName, type Settings } from './settings.ts';
import { formatAddress } from './triton-address.ts';

const tlsSettings = ['tritonCa', 'tritonCert', 'tritonKey', 'tritonServerName'] as const;

/** Settings that contradict each other. */
export function crossChecks(settings: Settings): readonly string[] {
  const where = (name: SettingName) => originOf(settings, name).where;
  const problems: string[] = [];
  if (settings.historyTemplate !== undefined && settings.historyTemplateFile !== undefined) {
    problems.push(
      `history_template (${where('historyTemplate')}) and history_template_file (${where('historyTemplateFile')}) exclude each other. Set only one.`,
    );
  }
  if ((settings.tritonCert === undefined) !== (settings.tritonKey === undefined)) {
    const [has, lacks] =
      settings.tritonKey === undefined
        ? (['tritonCert', '--triton-key'] as const)
        : (['tritonKey', '--triton-cert'] as const);
    problems.push(`${where(has)} needs ${lacks}: a certificate and its private key belong together.`);
  }
  const idle = tlsSettings.find((name) => settings[name] !== undefined);
  if (idle !== undefined && settings.triton.length > 0 && settings.triton.every(({ tls }) => !tls)) {
    problems.push(
      `${where(idle)} has no effect: no --triton address uses TLS. Write the address as grpcs://HOST:PORT.`,
    );
  }
  const addresses = settings.triton.map(formatAddress);
  if (settings.dnsServer !== undefined && !settings.triton.some(({ dns }) => dns))
    problems.push(
      `${where('dnsServer')} has no effect: no --triton address begins with dns:. Write --triton dns:NAME:PORT.`,
    );
  for (const duplicate of new Set(addresses.filter((address, index) => addresses.indexOf(address) !== index))) {
    problems.push(`${where('triton')}: ${duplicate} is set twice. Remove one.`);
  }
  if (settings.loadModel.length > 0 && settings.modelControlMode !== 'explicit')
    problems.push(`${where('loadModel')} needs --model-control-mode explicit.`);
  if (settings.loadModel.length > 1 && settings.loadModel.includes('*'))
    problems.push(`${where('loadModel')}: * means all models. Remove * or the other names.`);
  if (settings.loadOnDemand && settings.modelRepository.length > 0 && settings.modelControlMode !== 'explicit')
    problems.push(`${where('loadOnDemand')} with --model-repository needs --model-control-mode explicit.`);
  if (settings.maxLoaded !== undefined && !settings.loadOnDemand)
    problems.push(`${where('maxLoaded')} needs --load-on-demand.`);
  if (settings.maxLoaded !== undefined && settings.loadModel.length > settings.maxLoaded)
    problems.push(
      `${where('loadModel')} loads ${settings.loadModel.length} models, but --max-loaded is ${settings.maxLoaded}. Raise --max-loaded.`,
    );
  if (settings.kserveHttpPort !== 0 && settings.kserveHttpPort === settings.kserveGrpcPort)
    problems.push(
      `${where('kserveGrpcPort')}: both KServe frontends use port ${settings.kserveGrpcPort}. Set two different ports.`,
    );
  if (settings.allowImageAddresses.length > 0 && settings.allowImageUrls.length === 0)
    problems.push(`${where('allowImageAddresses')} needs --allow-image-urls.`);
  if ((settings.tlsCert === undefined) !== (settings.tlsKey === undefined)) {
    const [has, lacks] =
      settings.tlsKey === undefined ? (['tlsCert', '--tls-key'] as const) : (['tlsKey', '--tls-cert'] as const);
    problems.push(`${where(has)} needs ${lacks}: a certificate and its private key belong together.`);
  }
  if (settings.tlsClientCa !== undefined && settings.tlsCert === undefined)
    problems.push(`${where('tlsClientCa')} needs --tls-cert and --tls-key.`);
  return [...problems, ...keyChecks(settings), ...aliasChecks(settings), ...admissionChecks(settings)];
}

function keyChecks(settings: Settings): readonly string[] {
  const { where } = originOf(settings, 'jwtJwks');
  if (settings.jwtJwks !== undefined)
    return settings.jwtIssuer === undefined ? [`${where} needs --jwt-issuer, the issuer of the tokens.`] : [];
  const idle = (['jwtIssuer', 'jwtAudience', 'jwtClaimPrefix'] as const).filter((name) => settings.origins.has(name));
  const problems = idle.map((name) => `${originOf(settings, name).where} needs --jwt-jwks.`);
  if (settings.redis !== undefined && settings.apiKeyFile === undefined)
    problems.push(
      `${originOf(settings, 'redis').where} needs --api-key-file or --jwt-jwks: Redis counts only the limits of their keys.`,
    );
  return problems;
}

function aliasChecks(settings: Settings): readonly string[] {
  return Object.entries(settings.models).flatMap(([name, { serves }]) => {
    if (serves === undefined) return [];
    const label = `${originOf(settings, `models.${name}.serves`).where}: models.${name}.serves`;
    if (serves === name) return [`${label} must not be the alias itself. Set a model of the server.`];
    const chained = Object.hasOwn(settings.models, serves) ? settings.models[serves]?.serves : undefined;
    return chained === undefined
      ? []
      : [`${label} must be a model of the server, but ${serves} is an alias. Set ${chained} instead.`];
  });
}

/** A queue needs a limit, and a limit applies to a model under all its names. */
function admissionChecks(settings: Settings): readonly string[] {
  const problems: string[] = [];
  const limited = Object.values(settings.models).some(({ maxRunning }) => maxRunning !== undefined);
  const isSet = settings.origins.has('maxWaiting');
  if (isSet && settings.maxRunning === undefined && !limited)
    problems.push(`${originOf(settings, 'maxWaiting').where} needs --max-running.`);
  for (const [name, { serves, maxRunning, maxWaiting }] of Object.entries(settings.models)) {
    const key = maxRunning === undefined ? 'maxWaiting' : 'maxRunning';
    const { where } = originOf(settings, `models.${name}.${key}`);
    if (maxWaiting !== undefined && maxRunning === undefined && settings.maxRunning === undefined)
      problems.push(`${where}: models.${name}.max_waiting needs max_running.`);
    if (serves !== undefined && (maxRunning ?? maxWaiting) !== undefined)
      problems.push(`${where}: models.${name} is an alias of ${serves}. Set the limit under models.${serves}.`);
  }
  return problems;
}

type WorkerSettings = Pick<Settings, 'workers' | 'maxLoaded' | 'loraRoot' | 'triton' | 'model' | 'modelRepository'>;

/** Settings that apply to one process and do not work with several workers. */
export function workerChecks(settings: WorkerSettings): readonly string[] {
  const { workers, maxLoaded, loraRoot, triton, model, modelRepository } = settings;
  if (workers === 1) return [];
  const problems: string[] = [];
  if (maxLoaded !== undefined)
    problems.push(
      '--max-loaded is not supported with --workers: it counts the models of one process. Remove one of them.',
    );
  if (loraRoot !== undefined)
    problems.push(
      '--lora-root is not supported with --workers: only one process knows the adapters that it loads. Remove one of them.',
    );
  const isStandalone = triton.length + modelRepository.length === 0;
  const inside = model[0] ?? (isStandalone ? 'the default model' : undefined);
  if (inside !== undefined) problems.push(insideOneProcess(settings, inside));
  return problems;
}

/** Why a model of the embedded engine does not work with several workers. */
export function insideOneProcess({ workers }: Pick<Settings, 'workers'>, model: string): string {
  return (
    `--workers ${workers} is not supported with ${model}: the embedded engine runs in one process. ` +
    'Remove --workers, or serve only models of Triton servers.'
  );
}
