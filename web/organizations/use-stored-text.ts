import { useState } from 'react'

type StoredText = {
  /** What the field begins with. A new one needs a new field, by its `key`. */
  initial: string
  /** What the field shows. */
  text: string
  /** Whether another change was stored while the user typed. */
  isOutdated: boolean
  type: (text: string) => void
  /** Shows what is stored after `work` succeeds. */
  save: (work: () => Promise<void>) => Promise<void>
}

/** The text of a field that other forms and other users change too. What the user typed stays until it is saved. */
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
