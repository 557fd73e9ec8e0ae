import { Field } from '../shared/forms/Field.tsx'
import { lettersAndDigits } from '../shared/forms/letters-and-digits.ts'

const LENGTH = 8

/** A code may be typed in small letters, with spaces, or without its hyphen. */
export function DeviceCodeField({ code }: { code: string }) {
  return (
    <Field name="userCode" label="Code" hint="Eight letters, for example BCDF-GHJK" check={checkDeviceCode}>
      {(input) => (
        <input
          {...input}
          className="input code device-code"
          defaultValue={code}
          autoCapitalize="characters"
          autoComplete="off"
          autoCorrect="off"
          spellCheck={false}
          maxLength={4 * LENGTH}
        />
      )}
    </Field>
  )
}

/** As the device shows it: BCDF-GHJK. */
export function readDeviceCode(value: string): string {
  const letters = lettersOf(value)
  return `${letters.slice(0, LENGTH / 2)}-${letters.slice(LENGTH / 2)}`
}

export function checkDeviceCode(value: string): string | null {
  const letters = lettersOf(value)
  if (letters === '') return 'Enter the code.'
  return letters.length === LENGTH ? null : `The code has ${LENGTH} letters.`
}

function lettersOf(value: string): string {
  return lettersAndDigits(value).toUpperCase()
}
