import type { ModelConfigFile } from './pbtxt/model-config.ts';

/** The versions that a policy picks of those that exist, ascending; `missing` are those that it names in vain. */
export function servedVersions(
  policy: ModelConfigFile['version_policy'],
  existing: readonly number[],
): { versions: readonly number[]; missing: readonly number[] } {
  if (policy?.all !== undefined) return { versions: existing, missing: [] };
  if (policy?.specific !== undefined) {
    const wanted = [...new Set(policy.specific.versions)].toSorted((left, right) => left - right);
    return {
      versions: wanted.filter((version) => existing.includes(version)),
      missing: wanted.filter((version) => !existing.includes(version)),
    };
  }
  const count = policy?.latest === undefined ? 1 : policy.latest.num_versions;
  return { versions: existing.slice(Math.max(existing.length - count, 0)), missing: [] };
}
