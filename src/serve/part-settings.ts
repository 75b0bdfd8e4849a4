import type { CommandInput } from '../config/load.ts';
import type { ConnectionOptions } from '../http/connections.ts';
import type { JsonBounds } from '../http/json-size.ts';
import type { RequestLimits } from '../http/request-limits.ts';
import type { TlsSource } from '../http/tls.ts';
import type { ImageSettings } from '../images/image-sources.ts';
import type { ChannelOptions } from '../servers/remote/channel.ts';

type Settings = CommandInput['settings'];

/** Connection limits, from the settings. */
export function connectionSettings(settings: Settings, tls: TlsSource | undefined): ConnectionOptions {
  return { maxHeaders: settings.httpMaxHeaders, maxHeaderSize: settings.httpMaxHeaderSize, tls };
}

/** Limits of a JSON body, from the settings. */
export function jsonBounds({ maxJsonDepth, maxJsonValues }: Settings): JsonBounds {
  return { depth: maxJsonDepth, values: maxJsonValues };
}

/** Request limits, from the settings. */
export function requestLimits({ maxMessages, maxTools, maxStopStrings, maxChoices }: Settings): RequestLimits {
  return { messages: maxMessages, tools: maxTools, stopStrings: maxStopStrings, choices: maxChoices };
}

/** Image limits and sources, from the settings. */
export function imageSettings(settings: CommandInput['settings']): ImageSettings {
  return {
    most: settings.maxImages,
    limits: { bytes: settings.maxImageSize, pixels: settings.maxImagePixels },
    sources: { hosts: settings.allowImageUrls, addresses: settings.allowImageAddresses },
    timeout: settings.imageTimeout,
  };
}

/** Connection options of every Triton server. */
export function channelOptions({
  connectTimeout,
  keepaliveInterval,
  maxMessageSize,
  tritonHeader,
}: CommandInput['settings']): Omit<ChannelOptions, 'host' | 'port' | 'secure'> {
  return { connectTimeout, keepaliveInterval, maxMessageSize, metadata: tritonHeader };
}
