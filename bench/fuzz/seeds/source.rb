module A
  class B < C
    attr_reader :x
    def f(a, b = 1, *c, d:, &e)
      <<~EOS
        text
      EOS
    end
  end
end
