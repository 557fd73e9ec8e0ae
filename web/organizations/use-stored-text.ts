import { useState } from 'react'

type StoredText = {
  /** The first text of the field. If it changes, the field needs another `key`, so that React makes a new field. */
  initial: string
  /** The text in the field. */
  text: string
  /** Whether another change was stored while the user typed. */
  isOutdated: boolean
  type: (text: string) => void
  /** Runs `work`, which stores the text. The field then shows the stored text. */
  save: (work: () => Promise<void>) => Promise<void>
}

/** The text of a field that other forms and other users change, too. The typed text stays until the user saves it. */
export function useStoredText(stored: string): StoredText {
  const [initial, setInitial] = useState(stored)
  const [typed, setTyped] = useState<string | null>(null)
  const [isSaving, setSaving] = useState(false)
  const isOutdated = initial !== stored && typed !== null && !isSaving

  if (initial !== stored && !isOutdated) setInitial(stored)

  async function save(work: () => Promise<void>) {
    setSaving(true)
    try {
      await work()
      setTyped(null)
    } finally {
      setSaving(false)
    }
  }

  return { initial, text: typed ?? initial, isOutdated, type: setTyped, save }
}
