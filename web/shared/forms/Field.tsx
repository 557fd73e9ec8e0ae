import { type ComponentProps, type ReactNode, use, useEffect, useId } from 'react'
import { type Check, FormContext } from './form-context.ts'

type FieldProps = {
  name: string
  label: string
  hint?: string
  /** Content beside the label. */
  aside?: ReactNode
  /** Whether the field may stay empty. */
  isOptional?: boolean | undefined
  check: Check
  /** Renders the input with the attributes that connect it to the label and the remark. */
  children: (input: InputProps) => ReactNode
}

type InputProps = Omit<ComponentProps<'input'>, 'onInput'> & {
  /** Of an input or a text area. */
  onInput: (event: { currentTarget: { value: string } }) => void
}

/**
 * A label, an input and a remark: the error, otherwise the hint. An empty remark is in the page too, because screen
 * readers announce only a change of it.
 */
export function Field({ name, label, hint, aside, isOptional = false, check, children }: FieldProps) {
  const { errors, checks, correct } = use(FormContext)
  const id = useId()
  const error = errors[name]
  const remark = error ?? hint

  useEffect(() => {
    checks.set(name, check)
    return () => {
      checks.delete(name)
    }
  }, [checks, name, check])

  const input: InputProps = {
    id,
    name,
    className: 'input',
    required: !isOptional,
    'aria-invalid': error !== undefined,
    'aria-describedby': remark === undefined ? undefined : `${id}-remark`,
    onInput: (event) => error !== undefined && correct(name, check(event.currentTarget.value)),
  }

  return (
    <div className="field">
      <div className="label-line">
        <label htmlFor={id}>{label}</label>
        {aside}
      </div>
      {children(input)}
      <p id={`${id}-remark`} className={remarkClass(error, hint)} aria-live="polite">
        {remark}
      </p>
    </div>
  )
}

function remarkClass(error: string | undefined, hint: string | undefined): string {
  if (error !== undefined) return 'field-error'
  return hint === undefined ? 'empty-region' : 'hint'
}
