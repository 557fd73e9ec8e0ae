import { isolated } from './isolated.ts'

/** Says which API keys of a former member still work: they can call services as the organization. */
export function workingKeys(creator: 'you' | 'they', keys: readonly { name: string }[]): string {
  if (keys.length === 0) return ''
  return ` API keys that ${creator} created still work: ${keys.map(({ name }) => isolated(name)).join(', ')}.`
}
