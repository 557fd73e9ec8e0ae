import { useState } from 'react'
import { PasswordField } from './PasswordField.tsx'

const MIN_CHARACTERS = 8
const MAX_CHARACTERS = 128

type NewPasswordFieldProps = { name: string; label: string }

/** A password to be chosen, with a hint that follows its length. The service's own minimum may be higher: it says so. */
export function NewPasswordField({ name, label }: NewPasswordFieldProps) {
  const [characters, setCharacters] = useState(0)
  return (
    <PasswordField
      name={name}
      label={label}
      autoComplete="new-password"
      check={checkLength}
      onChange={(value) => setCharacters(count(value))}
      hint={hintFor(characters)}
    />
  )
}

function hintFor(characters: number): string {
  if (characters === 0) return 'At least 8 characters. A few unrelated words are easy to remember and hard to guess.'
  if (characters < MIN_CHARACTERS) return `${MIN_CHARACTERS - characters} more to go.`
  if (characters > MAX_CHARACTERS) return `${characters - MAX_CHARACTERS} too many.`
  return 'Long enough.'
}

function checkLength(value: string): string | null {
  const characters = count(value)
  if (characters === 0) return 'Choose a password.'
  if (characters < MIN_CHARACTERS)
    return `Use at least ${MIN_CHARACTERS} characters: ${MIN_CHARACTERS - characters} more.`
  if (characters > MAX_CHARACTERS)
    return `Use at most ${MAX_CHARACTERS} characters: ${characters - MAX_CHARACTERS} fewer.`
  return null
}

/** As the service counts: code points of the normalized text. */
function count(value: string): number {
  return [...value.normalize('NFC')].length
}
