// Rules of our own, too small for a package. ESLint loads them as they are, hence JavaScript.

/** File names are kebab-case and say what a file holds; "utils" and its kin say nothing. */
const fileNames = {
  meta: {
    type: 'suggestion',
    schema: [],
    messages: {
      kebab: '`{{name}}` is not kebab-case.',
      vague: '`{{name}}` says nothing about what it holds: name it after the thing (`cursor`, `retry`).',
    },
  },
  create: (context) => ({
    Program(node) {
      const parts = context.filename.slice(context.cwd.length + 1).split(/[\\/]/)
      for (const name of parts) {
        const words = name.replace(/^\./, '').split('.')
        if (words.some((word) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(word))) {
          context.report({ node, messageId: 'kebab', data: { name } })
        }
        if (/(^|[-.])(utils?|managers?|helpers?)([-.]|$)/i.test(name)) {
          context.report({ node, messageId: 'vague', data: { name } })
        }
      }
    },
  }),
}

/** Switching a rule off on one line takes a reason: `eslint-disable-next-line rule -- reason`. */
const disableReason = {
  meta: {
    type: 'suggestion',
    schema: [],
    messages: { reason: 'Say why: `eslint-disable-next-line rule-name -- reason`.' },
  },
  create: (context) => ({
    Program() {
      for (const comment of context.sourceCode.getAllComments()) {
        if (/^\s*eslint-disable(?!.*\s--\s+\S)/s.test(comment.value)) {
          context.report({ loc: comment.loc, messageId: 'reason' })
        }
      }
    },
  }),
}

export const hubbub = { rules: { 'file-names': fileNames, 'disable-reason': disableReason } }
