import { type ReactNode, useId } from 'react'

type ChoiceProps = {
  type: 'checkbox' | 'radio'
  name: string
  value?: string
  label: string
  /** The first state, or with `onChange` the present one. */
  isChosen?: boolean
  onChange?: ((isChosen: boolean) => void) | undefined
  /** The explanation. It is not part of the label, which a screen reader says with every change. */
  children: ReactNode
}

export function Choice({ type, name, value, label, isChosen = false, onChange, children }: ChoiceProps) {
  const id = useId()
  return (
    <div className="checkbox">
      <input
        id={id}
        type={type}
        name={name}
        value={value}
        {...(onChange
          ? { checked: isChosen, onChange: ({ target }) => onChange(target.checked) }
          : { defaultChecked: isChosen })}
        aria-describedby={`${id}-explanation`}
      />
      <span>
        <label htmlFor={id}>{label}</label>
        <span id={`${id}-explanation`} className="soft">
          {children}
        </span>
      </span>
    </div>
  )
}
