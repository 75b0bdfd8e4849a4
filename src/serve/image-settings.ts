import type { CommandInput } from '../config/load.ts';
import type { ImageSettings } from '../images/image-settings.ts';

/** The settings of images as the pipeline takes them. */
export function imageSettings(settings: CommandInput['settings']): ImageSettings {
  return {
    most: settings.maxImages,
    limits: { bytes: settings.maxImageSize, pixels: settings.maxImagePixels },
    sources: { hosts: settings.allowImageUrls, addresses: settings.allowImageAddresses },
    timeout: settings.imageTimeout,
  };
}
