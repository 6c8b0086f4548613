package a.b;

import java.util.*;

public class A<T> extends B implements C {
  @Override
  public List<T> f(int x) throws E { return null; }
  enum D { X, Y }
}
