import { isShownPicture } from '../shared/components/is-shown-picture.ts'
import { Monogram } from '../shared/components/Monogram.tsx'

type AvatarProps = { name: string; image: string | null | undefined }

export function Avatar({ name, image }: AvatarProps) {
  if (!isShownPicture(image)) return <Monogram name={name} />
  return <img className="avatar" src={image} alt="" width="52" height="52" />
}
