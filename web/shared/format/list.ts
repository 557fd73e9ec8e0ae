import { isolated } from './isolated.ts'

const LIST = new Intl.ListFormat('en', { type: 'conjunction' })

/** "a name, a picture, and an email address" */
export function listed(words: string[]): string {
  return LIST.format(words.map(isolated))
}
