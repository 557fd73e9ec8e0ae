import { type ChangeEvent, useId, useRef, useState } from 'react'
import { Monogram } from '../shared/components/Monogram.tsx'
import { smallPicture } from './small-picture.ts'

type PictureFieldProps = { name: string; owner: string; value: string; onChange: (picture: string) => void }

/** The form sends the picture as a `data:` URL. */
export function PictureField({ name, owner, value: picture, onChange }: PictureFieldProps) {
  const [isUnreadable, setUnreadable] = useState(false)
  // A small file that is chosen later may be ready before a large one.
  const newestFile = useRef<File>(null)
  const id = useId()

  async function choose({ target }: ChangeEvent<HTMLInputElement>) {
    const [file] = target.files ?? []
    target.value = ''
    if (!file) return
    newestFile.current = file
    const chosen = await smallPicture(file).catch(() => null)
    if (newestFile.current !== file) return
    setUnreadable(chosen === null)
    if (chosen !== null) onChange(chosen)
  }

  function remove() {
    newestFile.current = null
    setUnreadable(false)
    onChange('')
  }

  return (
    <div className="field">
      <p className="label">Your picture</p>
      <div className="picture">
        <Monogram name={owner} image={picture} />
        <input id={id} className="visually-hidden" type="file" accept="image/*" onChange={choose} />
        <label htmlFor={id} className="button button-quiet">
          Choose a picture
        </label>
        {picture !== '' && (
          <button type="button" className="text-button" onClick={remove}>
            Remove<span className="visually-hidden"> your picture</span>
          </button>
        )}
      </div>
      {isUnreadable && (
        <p className="field-error" role="alert">
          Your browser can’t read that file as a picture. Choose another one.
        </p>
      )}
      <input type="hidden" name={name} value={picture} />
    </div>
  )
}
