import { useEffect, useEffectEvent, useState } from 'react'

const PAUSE_MILLISECONDS = 250

/** The text after a pause in the typing, so that not every key press sends a request. */
export function useAfterPause(text: string): string {
  const [paused, setPaused] = useState(text)
  useEffect(() => {
    const pause = setTimeout(() => setPaused(text), PAUSE_MILLISECONDS)
    return () => clearTimeout(pause)
  }, [text])
  return paused
}

/**
 * The text of a search field, which is searched after each pause. Spaces around it are not searched, and stay in the
 * field while the user types.
 */
export function useTypedSearch(search: string, onSearch: (search: string) => void) {
  const [typed, setTyped] = useState(search)
  const searchFor = useEffectEvent(onSearch)

  // Back and Forward change the search from outside.
  useEffect(() => setTyped((current) => (current.trim() === search ? current : search)), [search])

  useEffect(() => {
    if (typed.trim() === search.trim()) return
    const pause = setTimeout(() => searchFor(typed.trim()), PAUSE_MILLISECONDS)
    return () => clearTimeout(pause)
  }, [typed, search])

  return [typed, setTyped] as const
}
