import { SLUG_LENGTH_MAXIMUM } from '../../../server/core/field-limits.ts'
import { REORDERED_TEXT, reordersText } from './reordered-text.ts'

export function checkOrganizationName(value: string): string | null {
  if (value.trim() === '') return 'Enter the name of the organization.'
  return reordersText(value) ? REORDERED_TEXT : null
}

export function checkSlug(value: string): string | null {
  if (value.length < 2) return 'Use at least two characters.'
  if (value.length > SLUG_LENGTH_MAXIMUM) return `Use at most ${SLUG_LENGTH_MAXIMUM} characters.`
  return /^[a-z0-9]+(-[a-z0-9]+)*$/.test(value) ? null : 'Use lower-case letters, digits and hyphens between them only.'
}
