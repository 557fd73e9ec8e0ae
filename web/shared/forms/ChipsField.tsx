import { type ClipboardEvent, type KeyboardEvent, useState } from 'react'
import { VERBATIM } from '../verbatim.ts'
import { Chip } from './Chip.tsx'
import { Field } from './Field.tsx'

const SEPARATORS = /[\s,;]+/

type ChipsFieldProps = {
  /** The form sends the values under this name, separated by spaces. */
  name: string
  label: string
  hint: string
  defaultValues?: string[]
  maximum: number
  /** Returns why a value is wrong, or null. */
  checkValue: (value: string) => string | null
}

/** A field for several values. Each value becomes a chip, also in a pasted list. A wrong value is marked. */
export function ChipsField({ name, label, hint, defaultValues = [], maximum, checkValue }: ChipsFieldProps) {
  const [values, setValues] = useState<string[]>(defaultValues)
  const [typed, setTyped] = useState('')

  function add(text: string) {
    setValues((current) => [...new Set([...current, ...splitValues(text)])])
    setTyped('')
  }

  function onKeyDown(event: KeyboardEvent<HTMLInputElement>) {
    if (event.key === 'Backspace' && typed === '') return setValues(values.slice(0, -1))
    if (!['Enter', ',', ';', ' '].includes(event.key) || typed.trim() === '') return
    event.preventDefault()
    add(typed)
  }

  function onPaste(event: ClipboardEvent<HTMLInputElement>) {
    const text = event.clipboardData.getData('text')
    if (!SEPARATORS.test(text.trim())) return
    event.preventDefault()
    add(`${typed} ${text}`)
  }

  return (
    <Field name={name} label={label} hint={hint} check={(text) => checkAll(splitValues(text), maximum, checkValue)}>
      {(input) => (
        <div className="chips">
          <ul aria-label={`Entered: ${label}`}>
            {values.map((value) => (
              <Chip
                key={value}
                value={value}
                error={checkValue(value)}
                onRemove={() => setValues(values.filter((other) => other !== value))}
              />
            ))}
          </ul>
          {values.length > 1 && <p className="hint">{count(values, checkValue)}</p>}
          <input
            {...input}
            name={undefined}
            autoComplete="off"
            {...VERBATIM}
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
            onKeyDown={onKeyDown}
            onPaste={onPaste}
          />
          {/* The typed rest counts, too. It does not become a chip when the field loses the focus: the button would move away. */}
          <input type="hidden" name={name} value={[...new Set([...values, ...splitValues(typed)])].join(' ')} />
        </div>
      )}
    </Field>
  )
}

export function splitValues(text: string): string[] {
  return text.split(SEPARATORS).filter((value) => value !== '')
}

function count(values: string[], checkValue: ChipsFieldProps['checkValue']): string {
  const wrong = values.filter((value) => checkValue(value) !== null).length
  return wrong === 0 ? `${values.length} entered.` : `${values.length} entered, ${wrong} of them marked as wrong.`
}

function checkAll(values: string[], maximum: number, checkValue: ChipsFieldProps['checkValue']): string | null {
  if (values.length === 0) return 'Enter at least one.'
  if (values.length > maximum) return `These are ${values.length}. Send at most ${maximum} at once.`
  const wrong = values.filter((value) => checkValue(value) !== null)
  if (wrong.length === 0) return null
  return `Correct or remove ${wrong.length === 1 ? wrong[0] : `the ${wrong.length} marked ones`}.`
}
