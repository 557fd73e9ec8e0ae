import { Value } from 'typebox/value'
import { Picture } from '../../core/picture.ts'
import { parseEmailAddress } from '../../core/users/email-address.ts'
import { compileValidator } from '../../platform/http/compile-at-first-use.ts'
import { isName, NAME_LENGTH_MAXIMUM } from '../../platform/http/names.ts'
import { Id, Line } from '../../platform/http/schemas.ts'

const isPicture = compileValidator(Picture)

/** @returns undefined for an id that requests can't contain, because their schemas refuse it */
export function toId(id: string): string | undefined {
  return Value.Check(Id, id) ? id : undefined
}

/** The claims `sub` and `act` of a token have the id of a user, an API key or an app, so these ids must differ. */
export function findSubjectProblem(id: string): string | undefined {
  return id.startsWith('cli_') ? 'the id begins with cli_, as only those of apps do' : undefined
}

export function toEmailAddress(text: string | null | undefined): string | undefined {
  try {
    return parseEmailAddress(text ?? '')
  } catch {
    return undefined
  }
}

/** @returns undefined for a name that Accounts refuses: see docs/import.md */
export function toName(text: string | null | undefined): string | undefined {
  const name = text?.trim() ?? ''
  return isLine(name, NAME_LENGTH_MAXIMUM) && isName(name) ? name : undefined
}

export function toLine(text: string | null | undefined, lengthMaximum: number): string | undefined {
  return text && isLine(text, lengthMaximum) ? text : undefined
}

export function toPicture(text: string | null | undefined): string | undefined {
  return text && isPicture(text) === true && text.isWellFormed() ? text : undefined
}

/** PostgreSQL can't store NUL, and control characters mislead readers of a terminal. */
function isLine(text: string, lengthMaximum: number): boolean {
  return Value.Check(Line(lengthMaximum), text) && text.isWellFormed()
}
