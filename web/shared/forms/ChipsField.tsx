import { type ClipboardEvent, type KeyboardEvent, useState } from 'react'
import { Field } from './Field.tsx'

const SEPARATORS = /[\s,;]+/
const SHOWN_MAXIMUM = 500

type ChipsFieldProps = {
  /** The form sends the values under this name, separated by spaces. */
  name: string
  label: string
  hint: string
  /** Returns why a value is wrong, or null. */
  checkValue: (value: string) => string | null
}

/** Several values: each becomes a chip, and a wrong one is marked. A pasted list becomes as many chips. */
export function ChipsField({ name, label, hint, checkValue }: ChipsFieldProps) {
  const [values, setValues] = useState<string[]>([])
  const [typed, setTyped] = useState('')

  function add(text: string) {
    setValues((current) => [...new Set([...current, ...split(text)])].slice(0, SHOWN_MAXIMUM))
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
    add(typed + text)
  }

  return (
    <Field name={name} label={label} hint={hint} check={(text) => checkAll(split(text), checkValue)}>
      {(input) => (
        <div className="chips">
          <ul aria-label={`Chosen: ${label.toLowerCase()}`}>
            {values.map((value) => (
              <Chip
                key={value}
                value={value}
                error={checkValue(value)}
                onRemove={() => setValues(values.filter((other) => other !== value))}
              />
            ))}
          </ul>
          <input
            {...input}
            name={undefined}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
            onKeyDown={onKeyDown}
            onPaste={onPaste}
          />
          {/* Text without a separator counts too. It becomes no chip when the focus leaves: the button would move away. */}
          <input type="hidden" name={name} value={[...new Set([...values, ...split(typed)])].join(' ')} />
        </div>
      )}
    </Field>
  )
}

function Chip({ value, error, onRemove }: { value: string; error: string | null; onRemove: () => void }) {
  return (
    <li className={error === null ? 'chip' : 'chip chip-wrong'}>
      {value}
      {error !== null && <span className="visually-hidden"> {error}</span>}
      <button type="button" onClick={onRemove}>
        <span aria-hidden="true">×</span>
        <span className="visually-hidden">Remove {value}</span>
      </button>
    </li>
  )
}

function split(text: string): string[] {
  return text.split(SEPARATORS).filter((value) => value !== '')
}

function checkAll(values: string[], checkValue: (value: string) => string | null): string | null {
  if (values.length === 0) return 'Enter at least one.'
  const wrong = values.filter((value) => checkValue(value) !== null)
  if (wrong.length === 0) return null
  return `Correct or remove ${wrong.length === 1 ? wrong[0] : `the ${wrong.length} marked ones`}.`
}
