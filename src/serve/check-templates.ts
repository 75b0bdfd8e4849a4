import { originOf, type Settings } from '../config/settings.ts';
import { SettingsError } from '../config/settings-error.ts';
import { checkChatTemplate } from '../prompt/assets.ts';
import { messageOf } from '../thrown.ts';

/** Rejects chat templates with errors in their syntax. */
export async function checkTemplates(settings: Settings): Promise<void> {
  const configured = [
    { name: 'chatTemplate', chatTemplate: settings.chatTemplate },
    ...Object.entries(settings.models).map(([model, { chatTemplate }]) => {
      return { name: `models.${model}.chatTemplate`, chatTemplate };
    }),
  ];
  const problems: string[] = [];
  for (const { name, chatTemplate } of configured) {
    if (chatTemplate === undefined) continue;
    try {
      await checkChatTemplate(chatTemplate);
    } catch (error) {
      problems.push(`${originOf(settings, name).where}: ${messageOf(error)}`);
    }
  }
  if (problems.length > 0) throw new SettingsError(problems);
}
