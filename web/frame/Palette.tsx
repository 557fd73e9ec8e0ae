import { type FormEvent, type KeyboardEvent, useEffect, useEffectEvent, useRef, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { SEARCH_LENGTH_MAXIMUM } from '../../server/core/field-limits.ts'
import { FailureNotice } from '../shared/components/FailureNotice.tsx'
import { Modal } from '../shared/components/Modal.tsx'
import { number } from '../shared/format/number.ts'
import { isComposing } from '../shared/forms/is-composing.ts'
import { VERBATIM } from '../shared/verbatim.ts'
import { useDestinations } from './use-destinations.ts'

type PaletteProps = { onClose: () => void }

/**
 * Finds a page, an organization or a user by name, address or id. Staff also find the events of an id. Enter opens the
 * first result, after the end of a search that still runs. The arrow keys move to other results.
 */
export function Palette({ onClose }: PaletteProps) {
  const [text, setText] = useState('')
  const [, navigate] = useLocation()
  const palette = useRef<HTMLDivElement>(null)
  const { destinations, leftOutCount, isSearching, error } = useDestinations(text)
  const [isWaiting, setWaiting] = useState(false)

  function openFirst() {
    const [first] = destinations
    setWaiting(first === undefined && isSearching)
    if (first === undefined) return
    onClose()
    navigate(first.path)
  }

  const openFound = useEffectEvent(openFirst)
  useEffect(() => {
    if (isWaiting && !isSearching) openFound()
  }, [isWaiting, isSearching])

  function submit(event: FormEvent) {
    event.preventDefault()
    openFirst()
  }

  function type(next: string) {
    setText(next)
    setWaiting(false)
  }

  function move(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step === undefined || isComposing(event.nativeEvent)) return
    event.preventDefault()
    const stops = [...(palette.current?.querySelectorAll<HTMLElement>('input, a') ?? [])]
    stops[stops.indexOf(document.activeElement as HTMLElement) + step]?.focus()
  }

  return (
    <Modal heading="Go to" cancelLabel="Close" onCancel={onClose}>
      <div ref={palette} className="palette">
        <form onSubmit={submit}>
          <input
            className="input"
            aria-label="A page, an organization or a user"
            autoComplete="off"
            {...VERBATIM}
            maxLength={SEARCH_LENGTH_MAXIMUM}
            value={text}
            onKeyDown={move}
            onChange={({ target }) => type(target.value)}
          />
        </form>
        {error ? (
          <FailureNotice error={error} />
        ) : (
          <p className="soft" role="status">
            {isSearching ? 'Searching…' : summary(destinations.length, leftOutCount)}
          </p>
        )}
        <ul>
          {destinations.map(({ path, label, note }) => (
            <li key={path}>
              <Link href={path} className="rail-link" onClick={onClose} onKeyDown={move}>
                <span>{label}</span> <span className="soft">{note}</span>
              </Link>
            </li>
          ))}
        </ul>
      </div>
    </Modal>
  )
}

function summary(count: number, leftOutCount: number): string {
  if (count === 0) return 'Nothing found.'
  const keys = 'Enter opens the first. The arrow keys move through the list.'
  return leftOutCount === 0 ? keys : `${keys} ${number(leftOutCount)} more are not shown: type a name.`
}
