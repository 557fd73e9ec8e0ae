import createValidatorFactory from '@fastify/ajv-compiler'
import compileSerializer from 'fast-json-stringify'
import type { FastifyInstance } from 'fastify'
import { isName } from './names.ts'
import { isSmallPicture } from './small-picture.ts'

type Validate = ReturnType<typeof compileValidator>
type Serialize = ReturnType<typeof compileSerializer>

const validatorCompiler = createValidatorFactory()(
  {},
  {
    customOptions: {
      coerceTypes: false,
      removeAdditional: false,
      useDefaults: false,
      allowUnionTypes: true,
      formats: { name: isName, 'small-picture': isSmallPicture },
    },
  },
)

export function compileValidator(schema: unknown) {
  return validatorCompiler({ schema })
}

/** Most processes need few of the hundreds of schemas. */
export function compileAtFirstUse(app: FastifyInstance): void {
  app.setValidatorCompiler(({ schema }) => {
    let validate: Validate | undefined
    return (value) => {
      validate ??= compileValidator(schema)
      return validate(value) === true || { error: validate.errors ?? [] }
    }
  })
  app.setSerializerCompiler(({ schema }) => {
    let serialize: Serialize | undefined
    return (value) => {
      serialize ??= compileSerializer(schema)
      return serialize(value)
    }
  })
}
