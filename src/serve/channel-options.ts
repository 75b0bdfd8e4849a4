import type { CommandInput } from '../config/load.ts';
import type { ChannelOptions } from '../servers/remote/channel.ts';

/** How every Triton is spoken to. */
export function channelOptions({
  connectTimeout,
  keepaliveInterval,
  maxMessageSize,
  tritonHeader,
}: CommandInput['settings']): Omit<ChannelOptions, 'host' | 'port' | 'secure'> {
  return { connectTimeout, keepaliveInterval, maxMessageSize, metadata: tritonHeader };
}
