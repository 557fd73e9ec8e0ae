import {
  type ClipboardEvent,
  type Dispatch,
  type KeyboardEvent,
  type SetStateAction,
  use,
  useEffect,
  useEffectEvent,
  useRef,
} from 'react'
import { number } from '../shared/format/number.ts'
import { Field } from '../shared/forms/Field.tsx'
import { FormContext } from '../shared/forms/form-context.ts'
import { isComposing } from '../shared/forms/is-composing.ts'
import { VERBATIM } from '../shared/verbatim.ts'
import { Chip } from './Chip.tsx'
import { textWithPasted } from './text-with-pasted.ts'

const SEPARATORS = /[\s,;]+/

type Chips = {
  values: string[]
  /** The text that is no chip yet. */
  typed: string
}

export const NO_CHIPS: Chips = { values: [], typed: '' }

type ChipsFieldProps = {
  /** The form sends the values under this name, separated by spaces. */
  name: string
  label: string
  hint: string
  chips: Chips
  onChange: Dispatch<SetStateAction<Chips>>
  /** More values are refused, and more chips are not shown: thousands of them take seconds. */
  maximum: number
  /** Returns why a value is wrong, or null. */
  checkValue: (value: string) => string | null
}

/** A field for several values. Each value becomes a chip, also in a pasted list. A wrong value is marked. */
export function ChipsField({ name, label, hint, chips, onChange, maximum, checkValue }: ChipsFieldProps) {
  const { values, typed } = chips
  const { errors, correct } = use(FormContext)
  const field = useRef<HTMLInputElement>(null)
  // The typed rest counts, too. It does not become a chip when the field loses the focus: the button would move away.
  const sent = valuesOf(chips).join(' ')

  const check = (text: string) => checkAll(splitValues(text), maximum, checkValue)
  // An error is about all values, and a removed chip corrects it as well.
  const recheck = useEffectEvent((text: string) => errors[name] !== undefined && correct(name, check(text)))
  useEffect(() => {
    recheck(sent)
  }, [sent])

  function replace(next: string[]) {
    onChange({ values: next, typed })
    field.current?.focus()
  }

  function add(text: string) {
    onChange((current) => ({ values: valuesOf({ ...current, typed: text }), typed: '' }))
  }

  function onKeyDown(event: KeyboardEvent<HTMLInputElement>) {
    if (isComposing(event.nativeEvent)) return
    if (event.key === 'Backspace' && typed === '') return onChange({ values: values.slice(0, -1), typed })
    if (!['Enter', ',', ';', ' '].includes(event.key) || typed.trim() === '') return
    event.preventDefault()
    add(typed)
  }

  function onPaste(event: ClipboardEvent<HTMLInputElement>) {
    const text = event.clipboardData.getData('text')
    if (!SEPARATORS.test(text.trim())) return
    event.preventDefault()
    add(textWithPasted(event.currentTarget, text))
  }

  return (
    <Field name={name} label={label} hint={hint} check={check}>
      {(input) => (
        <div className="chips">
          <EnteredChips label={label} values={values} maximum={maximum} checkValue={checkValue} onChange={replace} />
          <input
            {...input}
            ref={field}
            name={undefined}
            onInput={undefined}
            autoComplete="off"
            {...VERBATIM}
            value={typed}
            onChange={({ target }) => onChange({ values, typed: target.value })}
            onKeyDown={onKeyDown}
            onPaste={onPaste}
          />
          <input type="hidden" name={name} value={sent} />
        </div>
      )}
    </Field>
  )
}

type EnteredChipsProps = Pick<ChipsFieldProps, 'label' | 'maximum' | 'checkValue'> & {
  values: string[]
  onChange: (values: string[]) => void
}

function EnteredChips({ label, values, maximum, checkValue, onChange }: EnteredChipsProps) {
  return (
    <>
      <ul aria-label={`Entered: ${label}`}>
        {values.slice(0, maximum).map((value) => (
          <Chip
            key={value}
            value={value}
            error={checkValue(value)}
            onRemove={() => onChange(values.filter((other) => other !== value))}
          />
        ))}
      </ul>
      <p className={values.length === 0 ? 'empty-region' : 'hint'} role="status">
        {values.length > 0 && count(values, checkValue)}
      </p>
      {values.length > maximum && (
        <p className="hint">
          The first {number(maximum)} are shown.{' '}
          <button type="button" className="text-button" onClick={() => onChange([])}>
            Remove all
          </button>
        </p>
      )}
    </>
  )
}

export function splitValues(text: string): string[] {
  return text.split(SEPARATORS).filter((value) => value !== '')
}

/** The chips, and the values in the typed text, each once. */
function valuesOf({ values, typed }: Chips): string[] {
  return [...new Set([...values, ...splitValues(typed)])]
}

export function withoutValues({ values, typed }: Chips, removed: string[]): Chips {
  const isLeft = (value: string) => !removed.includes(value)
  return { values: values.filter(isLeft), typed: splitValues(typed).filter(isLeft).join(' ') }
}

function count(values: string[], checkValue: ChipsFieldProps['checkValue']): string {
  const wrong = values.filter((value) => checkValue(value) !== null).length
  const entered = number(values.length)
  if (wrong === 0) return `${entered} entered.`
  return values.length === 1
    ? '1 entered, marked as wrong.'
    : `${entered} entered, ${number(wrong)} of them marked as wrong.`
}

function checkAll(values: string[], maximum: number, checkValue: ChipsFieldProps['checkValue']): string | null {
  if (values.length === 0) return 'Enter at least one.'
  if (values.length > maximum) return `These are ${number(values.length)}. Send at most ${maximum} at once.`
  const wrong = values.filter((value) => checkValue(value) !== null)
  if (wrong.length === 0) return null
  return `Correct or remove ${wrong.length === 1 ? wrong[0] : `the ${number(wrong.length)} marked ones`}.`
}
