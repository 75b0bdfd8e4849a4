import { createHash } from 'node:crypto';

/**
 * Uses a rate, all in one step and by Redis's own clock. KEYS: the rate. ARGV: microseconds that the use takes to come
 * back (negative: it is given back), microseconds that must be free (0: it is used in any case). Gives the microseconds after which the rate is full
 * before the use, and whether the use was granted. The key ends when the rate is full.
 */
export const rateScript = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local full = tonumber(redis.call('GET', KEYS[1]) or 0)
local before = math.max(0, full - now)
local cost = tonumber(ARGV[1])
local needed = tonumber(ARGV[2])
local granted = 1
if needed > 0 and before + needed > 60000000 + 1 then granted = 0 end
if granted == 1 and cost ~= 0 then
  local after = math.max(0, before + cost)
  redis.call('SET', KEYS[1], string.format('%.0f', now + after), 'PX', math.ceil(after / 1000) + 1)
end
return { string.format('%.0f', before), granted }
`;

/** The name that Redis knows the script by. */
export const rateScriptHash = createHash('sha1').update(rateScript).digest('hex');
