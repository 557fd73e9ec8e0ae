import { Type } from 'typebox'
import { SLUG_LENGTH_MAXIMUM } from '../field-limits.ts'

/** Paths of this service, and words that look official. */
const RESERVED_SLUGS = [
  'account',
  'accounts',
  'admin',
  'api',
  'assets',
  'dev',
  'invite',
  'new',
  'root',
  'setup',
  'staff',
  'support',
  'system',
  'www',
]

export const Slug = Type.String({
  minLength: 2,
  maxLength: SLUG_LENGTH_MAXIMUM,
  pattern: `^(?!(?:${RESERVED_SLUGS.join('|')})$)[a-z0-9]+(?:-[a-z0-9]+)*$`,
  description: `lower-case letters, digits and single hyphens between them; not ${RESERVED_SLUGS.join(', ')}`,
})
