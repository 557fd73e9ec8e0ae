import { type ReactNode, useId } from 'react'

/** Controls that are off while there is an obstacle, which is named before them. */
export function Controls({ obstacle, children }: { obstacle: string | undefined; children: ReactNode }) {
  const id = useId()
  const isOff = obstacle !== undefined
  return (
    <>
      {isOff && (
        <p id={id} className="obstacle">
          {obstacle}
        </p>
      )}
      <fieldset className="controls" disabled={isOff} aria-describedby={isOff ? id : undefined}>
        {children}
      </fieldset>
    </>
  )
}
